/**
 * The packed files run alone, in any directory, and use neither the network nor the database. Run from the sources, the program
 * gives the same exit code, stdout and stderr.
 */
import {cpSync, readdirSync, readFileSync, realpathSync, rmSync} from 'node:fs'
import {basename, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterAll, expect, test} from 'vitest'
import {Home} from './support/bookctl.js'
import {ownHome} from './support/own.js'
import {sandboxOfFile} from './support/served-sandbox.js'
import {EVENT, makeWebhookFiles, SIGNING_SECRET, signatureOf} from './support/webhook-files.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const home = new Home({BOOKCTL_WEBHOOK_SECRET: SIGNING_SECRET})
const place = join(home.directory, 'with spaces ğ')
const T = 1_700_000_000
const sandbox = await sandboxOfFile()

/** The files of the package, without any other package beside them. */
const {files, version, dependencies, optionalDependencies, devDependencies} = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
for (const name of [...files, 'package.json']) cpSync(join(root, name), join(place, name), {recursive: true})
makeWebhookFiles(home.directory, T)
home.configure({
  current_profile: 'work',
  profiles: {work: {base_url: 'http://127.0.0.1:1/v1', client_id: 'cid_1'}},
})

afterAll(() => home.remove())

const run = (script: string, argv: readonly string[], env: Record<string, string> = {}) =>
  home.spawn(argv, {script, env})

const packed = join(place, 'bin/run.js')
// Native packages are not among the packed files.
const built = join(root, 'bin/run.js')
const dev = join(root, 'bin/dev.js')
const offline = {NODE_OPTIONS: `--import ${new URL('offline-preload.mjs', import.meta.url).href}`}

/** Only these lines are also run from the sources, because each such run compiles them. */
const COMPARED = ['hotels search --help', 'webhooks verify']

test.each([
  [['--version'], 0, version],
  [['help'], 0, 'START HERE'],
  [['hotels', 'search', '--help'], 0, '--check-in'],
  [['__complete', 'fish', 'hotels', 'price', ':'], 0, ''],
  [['webhooks', 'verify', 'body.bin', '--signature', signatureOf(EVENT, T), '--at', String(T)], 0, 'true'],
  [['hotels', 'serch'], 2, ''],
  [['account', '--nonsense=x', '--format', 'xml', '--json'], 2, 'unknown flag --nonsense'],
])('%j, packed, and a few from the sources', async (argv, exit, text) => {
  const done = await run(packed, argv, offline)
  expect(done).toMatchObject({exit, stdout: expect.stringContaining(text)})
  if (exit === 0) expect(done.stderr).toBe('')
  // The compiler of the sources opens a socket.
  if (COMPARED.some(line => argv.join(' ').startsWith(line))) expect(await run(dev, argv)).toEqual(done)
})

const GUEST = 'name=Ayşe,surname=Öğüt,birth_date=1990-02-03,gender=FEMALE,nationality=TR,tc=10000000146'
const CONTACT = 'name=Ayşe,surname=Öğüt,email=a@example.com,phone_country_code=+90,phone_number=5321234567'
const KEY = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const PEOPLE = ['--guest', GUEST, '--contact', CONTACT, '--pay', 'account', '--nationality', 'TR']

test('reserve with a sandbox, built and from its sources', async () => {
  const argv = ['reserve', 'off_unknown', ...PEOPLE, '--idempotency-key', KEY, '--yes', '--json']
  const runAs = async (script: string) => {
    const own = ownHome(sandbox.env)
    const {stdout, ...ended} = await own.spawn(argv, {script})
    return {...ended, stdout: stdout.replaceAll(own.directory, 'HOME').replace(/req_[\w-]+/g, 'req_…')}
  }
  const done = await runAs(built)
  expect(done).toMatchObject({exit: 5, stdout: expect.stringContaining('offer_not_found')})
  expect(await runAs(dev)).toEqual(done)
})

test('the check above fails for a command that connects', async () => {
  const address = {BOOKCTL_BASE_URL: 'http://127.0.0.1:9/partner-api/v1', BOOKCTL_NO_HISTORY: '1'}
  const credentials = {BOOKCTL_CLIENT_ID: 'cid_0123456789abcdef', BOOKCTL_CLIENT_SECRET: 'sk_test_0123456789'}
  const env = {...offline, ...address, ...credentials}
  const {exit, stderr} = await run(join(root, 'bin/run.js'), ['token'], env)
  expect({exit, stderr}).toMatchObject({exit: 99, stderr: expect.stringContaining('opened a ')})
})

test('with BOOKCTL_DEBUG, a stack trace names source files and lines; otherwise there is none', async () => {
  const debugged = await run(packed, ['config', 'get'], {BOOKCTL_DEBUG: '1'})
  expect(debugged.stderr).toMatch(/src\/commands\/config\/get\.ts:\d+:\d+/)
  expect(debugged.stderr).toMatch(/src\/cli\/shell\/\w+\.ts:\d+:\d+/)
  expect(debugged.stderr).not.toContain('dist/')
  expect((await run(packed, ['config', 'get'])).stderr).not.toContain('.ts:')
})

test('without the files that it needs next, as after an upgrade, it says so and ends', async () => {
  const torn = join(home.directory, 'torn')
  const main = readFileSync(join(root, 'dist/cli/shell/main.js'), 'utf8')
  const isLoaded = (path: string) => main.includes(`require("../../chunks/${basename(path)}")`)
  for (const isThere of [isLoaded, (path: string) => !basename(path).startsWith('command-')]) {
    const filter = (path: string) => !path.includes('chunks/') || isThere(path)
    cpSync(place, torn, {recursive: true, filter})
    const script = join(torn, 'bin/run.js')
    const said = {exit: 1, stderr: expect.stringContaining('or was not installed completely')}
    expect(await run(script, ['account'])).toMatchObject(said)
    const {exit, stdout} = await run(script, ['account', '--json'])
    expect({exit, ...JSON.parse(stdout)}).toMatchObject({exit: 1, error: {code: 'files_missing'}})
    rmSync(torn, {recursive: true})
  }
})

test('a package that the sources use is bundled, and in the licence file, or else a dependency', () => {
  const sources = readdirSync(join(root, 'src'), {recursive: true, encoding: 'utf8'})
    .filter(file => file.endsWith('.ts'))
    .map(file =>
      readFileSync(join(root, 'src', file), 'utf8').replace(/^import type [^;]*? from '.*'$/gm, ''),
    )
    .join('')
  const kept = Object.keys({...dependencies, ...optionalDependencies})
  // The list leaves out tsx, which runs the sources.
  const names = [...kept, ...Object.keys(devDependencies)].filter(
    name => name !== 'tsx' && (sources.includes(`'${name}'`) || sources.includes(`'${name}/`)),
  )
  const licences = readFileSync(join(root, 'dist/LICENSES.txt'), 'utf8')
  const hasLicence = (name: string) => new RegExp(`^${name} \\d`, 'm').test(licences)
  expect(names.filter(name => !hasLicence(name))).toEqual(kept)
  // The file begins with the names of both.
  const [, bundled = '', loaded = ''] = licences.split('These packages')
  expect(names.filter(name => !bundled.includes(`  ${name} `))).toEqual(kept)
  for (const name of kept) expect(loaded).toContain(`  ${name}\n`)
})

test('before the first build, prints only how to build', async () => {
  const clone = join(home.directory, 'clone')
  cpSync(join(root, 'bin'), join(clone, 'bin'), {recursive: true})
  cpSync(join(root, 'package.json'), join(clone, 'package.json'))
  const stderr = `bookctl is not built yet: run npm ci in ${JSON.stringify(realpathSync(clone))}\n`
  expect(await run(join(clone, 'bin/run.js'), ['help'])).toEqual({exit: 1, stdout: '', stderr})
})
