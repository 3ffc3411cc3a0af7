/** What a person sees while the service takes its time. */
import {afterAll, afterEach, beforeAll, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {ScriptedService} from '../support/scripted-service.js'
import {type ServedSandbox, serveLocalSandbox} from '../support/served-sandbox.js'
import {atTerminal} from '../support/terminal.js'

let sandbox: ServedSandbox
let home: Home

beforeAll(async () => {
  sandbox = await serveLocalSandbox()
  home = new Home(sandbox.env)
})
afterAll(async () => {
  home.remove()
  await sandbox.stop()
})
afterEach(() => fetch(`${sandbox.origin}/_sandbox/faults`, {method: 'DELETE'}))

async function fault(kind: object) {
  const answer = await fetch(`${sandbox.origin}/_sandbox/faults`, {
    method: 'POST',
    headers: {'content-type': 'application/json'},
    body: JSON.stringify({operation: 'account.show', times: 1, ...kind}),
  })
  expect(answer.status).toBe(201)
}

const SLOW = {kind: 'latency', latency_ms: 2600}

test('a slow answer is waited for in a line with its seconds, gone before the result', async () => {
  await fault(SLOW)
  const terminal = atTerminal(home, ['account'])
  await terminal.waitFor(/\S waiting for 127\.0\.0\.1:\d+… 1 s/)
  await terminal.waitFor('… 2 s')
  expect(await terminal.exit).toBe(0)
  expect(terminal.screen()).toMatch(/^account/)
  expect(terminal.screen()).not.toContain('waiting')
  expect(terminal.raw()).not.toContain('\u001b[?25l')
})

test('a repeated request says why and when', async () => {
  const service = await ScriptedService.start()
  let asked = 0
  service.script = ({path}, response) => {
    if (path !== '/account' || asked++ > 0) return false
    response.writeHead(503, {'retry-after': '2'}).end()
    return true
  }
  const person = new Home({
    BOOKCTL_BASE_URL: service.baseUrl,
    BOOKCTL_CLIENT_ID: 'cid_right',
    BOOKCTL_CLIENT_SECRET: 'sk_test_right',
  })
  const terminal = atTerminal(person, ['account'])
  await terminal.waitFor('the service answered 503, trying again in 2 s… 1 s')
  expect(await terminal.exit).toBe(0)
  person.remove()
  service.close()
})

test.each([{BOOKCTL_ACCESSIBLE: '1'}, {TERM: 'dumb'}])('with %j it is one plain line', async env => {
  await fault(SLOW)
  const terminal = atTerminal(home, ['account'], {env})
  expect(await terminal.exit).toBe(0)
  expect(terminal.screen().match(/waiting for/g)).toHaveLength(1)
  expect(terminal.raw()).not.toContain('\u001b')
})

test.each([
  [{}, ['account', '--quiet']],
  [{CI: '1'}, ['account']],
])('with %j, %j shows none', async (env, argv) => {
  await fault(SLOW)
  const terminal = atTerminal(home, argv, {env})
  expect(await terminal.exit).toBe(0)
  expect(terminal.raw()).not.toContain('waiting')
})

test('Ctrl-C leaves nothing of it behind', async () => {
  await fault({...SLOW, latency_ms: 20_000})
  const terminal = atTerminal(home, ['account'])
  await terminal.waitFor('… 1 s')
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  expect(terminal.screen().replace('^C', '')).toBe('')
})

test('in a pipe there is none', async () => {
  await fault(SLOW)
  expect(await home.run(['account'])).toMatchObject({exit: 0, stderr: ''})
})
