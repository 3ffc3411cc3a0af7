/** Defaults of oclif that users must not see. */
import {existsSync, mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import {afterAll, describe, expect, test} from 'vitest'
import {type Finished, Home} from '../support/bookctl.js'
import {runHere} from '../support/in-process.js'
import {lacksOtherUser, OTHER_USER} from '../support/other-user.js'
import {ownHome} from '../support/own.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the environment that runs `code` in the process before bookctl. */
const preloaded = (code: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}`,
})

test('plugins in the data directory are not loaded', async () => {
  const home = ownHome()
  const data = join(home.directory, 'data/bookctl')
  const planted = join(data, 'node_modules/planted')
  const mark = join(home.directory, 'ran')
  mkdirSync(planted, {recursive: true})
  const plugins = [{name: 'planted', type: 'user'}]
  const hooks = {init: './hook.js', prerun: './hook.js'}
  const write = (directory: string, content: object) =>
    writeFileSync(join(directory, 'package.json'), JSON.stringify({version: '1.0.0', ...content}))
  write(data, {name: 'data', oclif: {plugins}, dependencies: {planted: '1.0.0'}})
  write(planted, {name: 'planted', oclif: {hooks}})
  const hook = `module.exports = async () => require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`
  writeFileSync(join(planted, 'hook.js'), hook)
  const env = {XDG_DATA_HOME: join(home.directory, 'data'), BOOKCTL_DATA_DIR: data}
  const done = await home.spawn(['config', 'path'], {env})
  expect(done).toMatchObject({exit: 0, stderr: ''})
  expect(existsSync(mark)).toBe(false)
})

describe('the environment', () => {
  const WSL = `import os from 'node:os'
import {syncBuiltinESMExports} from 'node:module'
os.release = () => '5.15.0-microsoft-standard-WSL2'
syncBuiltinESMExports()`
  const home = new Home()
  afterAll(() => home.remove())
  const lines = [['config', 'path', '--json'], ['profiles', '--help'], ['account']]
  const runAll = (env: Record<string, string | undefined> = {}) =>
    Promise.all(lines.map(argv => home.spawn(argv, {env})))
  let usual: Promise<Finished[]> | undefined
  mkdirSync(home.configDirectory)
  writeFileSync(join(home.configDirectory, 'theme.json'), '{"bin": "red", "sectionHeader": 7, "command": {}}')
  const tsconfig = '{"compilerOptions": {"outDir": "dist", "rootDir": "src"}}'
  writeFileSync(join(home.directory, 'tsconfig.json'), tsconfig)

  test.each<[string, Record<string, string | undefined>]>([
    [
      "oclif's variables and a theme",
      {
        DEBUG: '*',
        OCLIF_DEBUG: '1',
        CLI_FLAGS_DEBUG: '1',
        NODE_ENV: 'development',
        BOOKCTL_CACHE_DIR: '/nonexistent',
        BOOKCTL_DATA_DIR: '/nonexistent',
        BOOKCTL_REDIRECTED: '1',
        BOOKCTL_BINPATH: '/nonexistent',
        BOOKCTL_CONTENT_TYPE: 'json',
        BOOKCTL_DISABLE_THEME: '0',
        FORCE_COLOR: '0',
      },
    ],
    ['a Linux on Windows, no shell', {...preloaded(WSL), NODE_ENV: 'test', SHELL: undefined}],
    ['neither home nor shell', {HOME: undefined, SHELL: undefined}],
    ['an empty home', {HOME: '', SHELL: ''}],
  ])('does not change the output: %s', async (_, env) => {
    usual ??= runAll()
    expect(await runAll(env)).toEqual(await usual)
  })

  test.skipIf(lacksOtherUser(process.execPath, join(root, 'bin/run.js')) !== undefined)(
    'may have a user whom the system does not know',
    async () => {
      const env = {HOME: undefined, SHELL: undefined, BOOKCTL_CONFIG_DIR: undefined}
      const cwd = {user: OTHER_USER, before: ['sh', '-c', 'cd / && exec "$@"', 'sh']}
      const stdout = '/dev/null/.config/bookctl/config.json\n'
      expect(await home.run(['config', 'path'], {env, ...cwd})).toEqual({exit: 0, stdout, stderr: ''})
    },
  )

  test('shows no warnings of Node with BOOKCTL_DEBUG', async () => {
    const env = {...preloaded(`setInterval(() => process.emitWarning('x'), 1).unref()`), BOOKCTL_DEBUG: '1'}
    expect(await home.run(['config', 'path'], {env})).toMatchObject({exit: 0, stderr: ''})
  })
})

describe('what was typed', () => {
  test.each([
    ['account', '--nonsense=hunter2'],
    ['account', 'hunter2'],
    ['account', '--format', 'hunter2'],
    ['autocomplete', 'hunter2'],
    ['reservations', 'list', '--all', '--limit', '7', '--after=hunter2'],
    ['account', '--profile', 'hunter2', '--profile', 'hunter2'],
    ['hotels', 'search', 'hunter2', '--format=hunter2', '--nonsense', 'hunter2'],
    ['hotels', 'hunter', '--hunter2=hunter2'],
    ['login', '--client-secret', 'hunter2'],
  ])('is not repeated when it is refused: %s', async (...argv) => {
    const {exit, stdout, stderr} = await runHere(argv)
    expect({exit, stdout}).toEqual({exit: 2, stdout: ''})
    expect(stderr).not.toContain('hunter2')
    expect(stderr).not.toContain('See more help')
    expect((await runHere([...argv, '--json'])).stdout).not.toContain('hunter2')
  })

  test('an argument that is missing is not read from standard input', async () => {
    const {exit, stderr} = await ownHome().spawn(['hotels', 'show'], {stdin: '1010007'})
    expect({exit, stderr}).toMatchObject({exit: 2, stderr: expect.stringContaining('missing: HOTEL_ID')})
  })

  test('a repeatable flag takes one word, and leaves the next to the arguments', async () => {
    const {exit, stderr} = await runHere(['webhooks', 'create', '--event', 'voucher.ready', 'payment.failed'])
    expect({exit, stderr}).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('one unexpected argument'),
    })
  })

  test('a value of a variable is refused by the name of the variable', async () => {
    const {stderr} = await runHere(['account'], {BOOKCTL_TIMEOUT: 'soon'})
    expect(stderr).toContain('BOOKCTL_TIMEOUT: must be a whole number')
    expect((await runHere(['account'], {BOOKCTL_TIMEOUT: ''})).stderr).not.toContain('TIMEOUT')
    expect((await runHere(['config', 'path'], {BOOKCTL_TIMEOUT: 'soon'})).exit).toBe(0)
  })
})
