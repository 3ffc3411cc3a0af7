/** Node's and undici's own debug output, which would print tokens and signed links, must not come through bin/run.js. */
import {execFile} from 'node:child_process'
import {copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {httpAnswer, startWireServer, type Wire} from '../support/wire.js'

const CANARY = 'canary_signed_link'
let server: Wire
const home = mkdtempSync(join(tmpdir(), 'bookctl-debug-'))
const root = new URL('../../', import.meta.url)

beforeAll(async () => {
  server = await startWireServer(() => ({bytes: httpAnswer(200, `{"access_token":"${CANARY}"}`)}))
  for (const directory of ['bin', 'dist/cli/shell']) mkdirSync(join(home, directory), {recursive: true})
  for (const file of ['bin/run.js', 'bin/environment.js']) copyFileSync(new URL(file, root), join(home, file))
  writeFileSync(join(home, 'package.json'), '{"type": "commonjs"}')
  writeFileSync(
    join(home, 'dist/cli/shell/main.js'),
    `exports.main = async function main(argv) {
      const {createTransport} = await import(${JSON.stringify(new URL('src/api/http/transport.ts', root).href)})
      const limits = {connectMilliseconds: 9000, headersMilliseconds: 9000, bodyMilliseconds: 9000, totalMilliseconds: 9000, maxAnswerBytes: 9000}
      const headers = {authorization: 'Bearer ${CANARY}'}
      const answer = await createTransport({env: {}})({method: 'POST', url: argv[0], headers, body: '${CANARY}'}, limits)
      process.stdout.write(String(answer.status))
      process.stderr.write('own words: ' + argv.length + '\\n')
    }`,
  )
})

afterAll(async () => {
  rmSync(home, {recursive: true})
  await server.close()
})

test.each(['*', 'undici,fetch,http,https,net,tls,stream,websocket'])('NODE_DEBUG=%s', async value => {
  const url = `http://127.0.0.1:${server.port}/v?sig=${CANARY}`
  const loader = fileURLToPath(import.meta.resolve('tsx'))
  const {stdout, stderr} = await promisify(execFile)(
    process.execPath,
    ['--import', loader, join(home, 'bin/run.js'), url],
    {env: {...process.env, NODE_DEBUG: value, DEBUG: '*'}, maxBuffer: 64 * 1024 * 1024},
  )
  expect(stdout).toBe('200')
  expect(stderr).toContain('own words: 1\n')
  expect(stderr).not.toContain(CANARY)
  // `stream` prints the first bytes of what was read as hex pairs.
  const hexPairs = Buffer.from(CANARY)
    .toString('hex')
    .replace(/(..)(?=.)/g, '$1 ')
  expect(stderr).not.toContain(hexPairs)
})
