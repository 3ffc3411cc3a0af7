/** What `doctor` finds on this machine: settings, files, environment. */
import {execFileSync, spawn} from 'node:child_process'
import {chmodSync, readdirSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'
import {afterAll, beforeEach, describe, expect, test} from 'vitest'
import type {Home} from '../support/bookctl.js'
import {ownHome} from '../support/own.js'
import {ScriptedService} from '../support/scripted-service.js'
import {containing, failed, OK, runDoctor, SKIPPED} from './run-doctor.js'

const service = await ScriptedService.start()
afterAll(() => service.close())
let home: Home
beforeEach(() => {
  home = ownHome({...service.env})
})
const doctor = (argv: string[] = [], options: Parameters<typeof runDoctor>[2] = {}) =>
  runDoctor(home, argv, options)

describe('this machine', () => {
  test('without a login: runs the checks that need none', async () => {
    const env = {BOOKCTL_CLIENT_ID: undefined, BOOKCTL_CLIENT_SECRET: undefined}
    const login = {fix: containing('bookctl login')}
    expect(await doctor([], {baseUrl: undefined, env})).toMatchObject({exit: 4, login, service: SKIPPED})
    expect(await doctor([], {env})).toMatchObject({exit: 4, service: OK, token: SKIPPED})
  })

  test('a key of config.json that nothing reads', async () => {
    home.configure('{"profiles": {}, "themes": 1}')
    const configuration = failed('themes is unknown; known here:')
    expect(await doctor()).toMatchObject({exit: 2, configuration, service: OK})
  })

  test('wrong settings of the environment and of config.json are one failed check, and stop no other', async () => {
    home.configure('{"profiles": {}, "defaults": {"currency": "EURO"}}')
    const env = {BOOKCTL_TIMEOUT: 'soon', BOOKCTL_NATIONALITY: 'T1'}
    const found = await doctor([], {baseUrl: 'https://127.0.0.1:1/v1', env})
    expect(found).toMatchObject({exit: 2, connection: {status: 'fail'}})
    for (const words of ['BOOKCTL_TIMEOUT: must be', 'BOOKCTL_NATIONALITY: must', 'defaults.currency: must'])
      expect(found).toMatchObject({settings: failed(words)})
  })

  test.runIf(process.platform !== 'win32')('files that others may read, and links', async () => {
    home.configure('{"profiles":{}}')
    chmodSync(home.configDirectory, 0o755)
    chmodSync(join(home.configDirectory, 'config.json'), 0o644)
    const permissions = {
      status: 'warn',
      detail: expect.stringMatching(/\(755\).*config\.json.*\(644\)/),
      fix: expect.stringMatching(/^chmod 700 /),
    }
    expect(await doctor(['--offline'])).toMatchObject({permissions})
    symlinkSync('/etc/hostname', join(home.configDirectory, 'state.db'))
    expect(await doctor(['--offline'])).toMatchObject({exit: 2, permissions: failed('regular file')})
  })

  test('a damaged database is found, and nothing is created or changed', async () => {
    await home.run(['account'])
    writeFileSync(join(home.configDirectory, 'state.db'), 'x'.repeat(8192), {mode: 0o600})
    // SQLite's own files beside a database come and go with whoever has it open.
    const files = () => readdirSync(home.configDirectory).filter(name => !/-(wal|shm)$/.test(name))
    const before = files()
    expect(await doctor(['--offline'])).toMatchObject({exit: 2, databases: failed('state.db is damaged')})
    expect(files()).toEqual(before)
  })

  test('a named pipe in place of a database is named, and not waited for', async () => {
    home.configure('{"profiles":{}}')
    execFileSync('mkfifo', [join(home.configDirectory, 'tokens.db')])
    // A process, ended from outside: no signal would reach one that waits for the other end of the pipe.
    const env = {...process.env, BOOKCTL_CONFIG_DIR: home.configDirectory}
    const limit = {timeout: 20_000, killSignal: 'SIGKILL'} as const
    const child = spawn(process.execPath, ['bin/run.js', 'doctor', '--offline', '--json'], {env, ...limit})
    expect(await text(child.stdout)).toContain('tokens.db is not a regular file')
  })

  test('a home that cannot be written', async () => {
    const blocked = join(home.directory, 'file')
    writeFileSync(blocked, '')
    const env = {BOOKCTL_CONFIG_DIR: join(blocked, 'config')}
    expect(await doctor([], {env})).toMatchObject({account: OK})
  })

  test('a variable that nothing reads, and checks that are switched off', async () => {
    const offline = (env: Record<string, string>) => doctor(['--offline'], {env})
    const typo = {status: 'warn', fix: 'did you mean BOOKCTL_BASE_URL?'}
    expect(await offline({BOOKCTL_BASEURL: 'x'})).toMatchObject({environment: typo})
    const off = {environment: {status: 'fail'}}
    expect(await offline({NODE_TLS_REJECT_UNAUTHORIZED: '0'})).toMatchObject(off)
  })
})
