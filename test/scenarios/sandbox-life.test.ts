/** The life of a sandbox: its port, how commands find it, and several sandboxes at the same time. */
import {rmSync, statSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'
import {eventually} from '../support/eventually.js'
import {ownHome, ownListening, ownTcpPort} from '../support/own.js'
import {exportsOf, start} from '../support/started-sandboxes.js'
import {startTcp} from '../support/tcp.js'

test('starts on the same port again, so that exports, profiles and tokens survive a restart', async () => {
  const home = ownHome()
  // The sandbox of another test may take one of the usual ports meanwhile.
  const first = await start(home, '--port', String(await findFreePort()))
  const env = await exportsOf(home)
  const stdin = env.BOOKCTL_CLIENT_SECRET ?? ''
  const login = ['login', '--base-url', first.baseUrl, '--client-id', 'cid_sandbox', '--client-secret-stdin']
  expect((await home.run(login, {stdin})).exit).toBe(0)
  expect((await home.run(['sandbox', 'reset'])).exit).toBe(0)
  await first.stop()

  const second = await start(home)
  expect(second.baseUrl).toBe(first.baseUrl)
  expect((await home.run(['account'], {env})).exit).toBe(0)
  expect((await home.run(['account'])).exit).toBe(0)
})

test('reports that its port is in use, and uses another one from then on', async () => {
  const home = ownHome()
  const {port, stop} = await start(home, '--port', String(await findFreePort()))
  await stop()
  await ownTcpPort(() => {}, port)
  const elsewhere = await start(home)
  expect(elsewhere.port).not.toBe(port)
  expect(elsewhere.port).toBeGreaterThanOrEqual(4010)
  const {stderr} = await elsewhere.stop()
  expect(stderr).toContain(`Port ${port} is in use; using ${elsewhere.port}`)
  expect((await start(home)).port).toBe(elsewhere.port)
})

test('a typed port is used or refused, and used again by the next start', async () => {
  const home = ownHome()
  const {port, stop} = await start(home, '--port', '0')
  await stop()
  const again = await start(home, '--port', String(port))
  expect(again.port).toBe(port)
  const other = await home.refusal(['sandbox', 'start', '--port', String(port), '--db', ':memory:'])
  expect(other).toMatchObject({exit: 2, code: 'port_unavailable'})
  await again.stop()
  expect((await start(home)).port).toBe(port)
})

test('listen takes 4020, another port when that is in use, and a typed one only', async () => {
  const home = ownHome()
  let usual: Awaited<ReturnType<typeof startTcp>> | undefined
  // The listener of another test may use the port for a while.
  await eventually(async () => {
    usual ??= await startTcp(() => {}, 4020)
  })
  onTestFinished(() => usual?.close())
  const other = await ownListening(home)
  expect(other.port).not.toBe(4020)
  const {stderr} = await other.stop()
  expect(stderr).toContain(`Port 4020 is in use; using ${other.port}`)
  const env = {BOOKCTL_WEBHOOK_SECRET: 'whsec_x'}
  const refusal = await home.refusal(['webhooks', 'listen', '--port', '4020'], {env})
  expect(refusal).toMatchObject({exit: 2, code: 'port_unavailable'})
  await usual?.close()
  await eventually(async () => {
    const again = await ownListening(home)
    await again.stop()
    expect(again.port).toBe(4020)
  })
})

test('the controls find the sandbox that runs, whatever BOOKCTL_BASE_URL names', async () => {
  const home = ownHome({BOOKCTL_BASE_URL: 'http://127.0.0.1:9/partner-api/v1'})
  const {baseUrl, stop} = await start(home, '--db', ':memory:')
  expect(await exportsOf(home)).toMatchObject({BOOKCTL_BASE_URL: baseUrl})
  expect((await home.run(['sandbox', 'clock', '--advance', '1m'])).exit).toBe(0)
  const {result} = await home.json<{servers: {url: string}[]}>(['sandbox', 'openapi'])
  expect(result.servers[0]?.url).toBe(baseUrl)
  home.env.BOOKCTL_BASE_URL = 'https://partners.example.com/v1'
  expect((await home.run(['sandbox', 'deliveries'])).exit).toBe(0)
  const typed = ['sandbox', 'deliveries', '--base-url', 'https://partners.example.com/v1']
  expect(await home.refusal(typed)).toMatchObject({exit: 2, code: 'not_a_sandbox'})
  expect((await stop('SIGINT')).exit).toBe(130)
  expect(await home.refusal(['sandbox', 'clock'])).toMatchObject({exit: 7, code: 'sandbox_not_running'})
})

test('without a login the hint is the line that uses the sandbox, if one runs', async () => {
  const home = ownHome()
  expect((await home.refusal(['account'])).hint).toContain('bookctl login')
  const {stop} = await start(home, '--db', ':memory:')
  const refusal = await home.refusal(['account'])
  expect(refusal).toMatchObject({exit: 4, code: 'not_logged_in'})
  expect(refusal.hint).toContain('eval "$(bookctl sandbox env)"')
  // The exported variables would not apply together with a profile on the command line.
  expect((await home.refusal(['account', '--profile', 'x'])).hint).toContain('bookctl login --profile x')
  await stop('SIGKILL')
  expect((await home.refusal(['account'])).hint).toContain('bookctl login')
})

interface Listed {
  readonly sandboxes: {base_url: string; pid: number; database: string; started_at: string}[]
}

test('several sandboxes run at the same time, and the end of one does not hide the others', async () => {
  const home = ownHome()
  expect((await home.json<Listed>(['sandbox', 'list'])).result).toEqual({sandboxes: []})
  const usual = await start(home)
  const inMemory = await start(home, '--db', ':memory:')
  // A port that no other sandbox takes after this one is killed.
  const inFile = await start(home, '--db', 'other.db', '--port', String(await findFreePort()))
  const {result} = await home.json<Listed>(['sandbox', 'list'])
  expect(result.sandboxes).toMatchObject([
    {base_url: inFile.baseUrl, pid: inFile.pid, database: join(home.directory, 'other.db')},
    {base_url: inMemory.baseUrl, database: ':memory:'},
    {base_url: usual.baseUrl, database: join(home.configDirectory, 'sandbox.db')},
  ])
  const env = await home.run(['sandbox', 'env'])
  expect(env.stdout).toContain(inFile.baseUrl)
  expect(env.stderr).toContain('3 local sandboxes are running')
  expect(await exportsOf(home, '--base-url', usual.baseUrl)).toMatchObject({BOOKCTL_BASE_URL: usual.baseUrl})

  await inFile.stop('SIGKILL')
  const dead = await home.run(['sandbox', 'env', '--base-url', inFile.baseUrl])
  expect(dead).toMatchObject({exit: 7, stdout: '', stderr: expect.stringContaining('bookctl sandbox start')})
  expect(await exportsOf(home)).toMatchObject({BOOKCTL_BASE_URL: inMemory.baseUrl})
  await inMemory.stop()
  const lost = await home.run(['account'], {env: {BOOKCTL_BASE_URL: inFile.baseUrl, BOOKCTL_TOKEN: 't'}})
  expect(lost.exit).toBe(7)
  expect(lost.stderr).toContain(
    `a local sandbox runs at ${new URL(usual.baseUrl).origin}; to use it: eval "$(bookctl sandbox env)"`,
  )
  const left = await home.run(['sandbox', 'env'])
  expect(left.stdout).toContain(usual.baseUrl)
  expect(left.stderr).toBe('')
  const rows = await home.run(['sandbox', 'list'])
  expect(rows.stdout.split('\t').slice(0, 2)).toEqual([usual.baseUrl, String(usual.pid)])
})

test('a database in use is named with the address and the process that use it', async () => {
  const home = ownHome()
  const {pid, port} = await start(home)
  const refusal = await home.refusal(['sandbox', 'start'])
  const message = `already running at http://127.0.0.1:${port} (pid ${pid})`
  expect(refusal).toMatchObject({exit: 2, code: 'sandbox_already_running', message})
  symlinkSync(home.configDirectory, join(home.directory, 'alias'))
  const alias = ['sandbox', 'start', '--db', 'alias/sandbox.db']
  expect((await home.refusal(alias)).code).toBe('sandbox_already_running')
  await start(home, '--db', 'other.db')
  const database = join(home.configDirectory, 'sandbox.db')
  for (const [from, argv] of [
    [home, []],
    // Another configuration directory than that of the sandbox.
    [ownHome(), ['--db', database]],
  ] as const) {
    const again = await from.refusal(['sandbox', 'start', ...argv])
    expect(again.message).toBe(message)
    expect(again.hint).toContain(`bookctl sandbox env --base-url http://127.0.0.1:${port}/`)
  }
})

test('of two sandboxes that start on one database, one runs, and the error of the other names it', async () => {
  const home = ownHome()
  const both = [home.serve(['sandbox', 'start']), home.serve(['sandbox', 'start'])]
  onTestFinished(() => void both.map(({child}) => child.kill('SIGKILL')))
  const ready = (await Promise.all(both.map(each => each.ready))).filter(line => line !== undefined)
  expect(ready).toHaveLength(1)
  const {stdout} = await Promise.race(both.map(each => each.ended))
  expect(JSON.parse(stdout).error.message).toBe(
    `already running at ${ready[0]?.origin} (pid ${ready[0]?.pid})`,
  )
})

test('records are private, and those of killed sandboxes are removed by the next', async () => {
  const home = ownHome()
  const killed = await start(home, '--db', ':memory:')
  await killed.stop('SIGKILL')
  expect(home.kept()).toContain(`sandbox-running-${killed.pid}.json`)
  const {stop} = await start(home)
  expect(home.kept().filter(name => name.startsWith('sandbox-running'))).toEqual(['sandbox-running.json'])
  expect(statSync(join(home.configDirectory, 'sandbox-running.json')).mode & 0o777).toBe(0o600)
  await stop()
  // The process id may belong to another process by now.
  const origin = `http://127.0.0.1:${await findFreePort()}`
  const record = {origin, base_url: `${origin}/partner-api/v1`, pid: process.pid}
  writeFileSync(join(home.configDirectory, 'sandbox-running.json'), JSON.stringify(record))
  expect(await home.run(['sandbox', 'env'])).toMatchObject({exit: 7, stdout: ''})
})

test('a sandbox whose database was removed is still found next to the one on the new database', async () => {
  const home = ownHome()
  const old = await start(home)
  for (const end of ['', '-wal', '-shm'])
    rmSync(join(home.configDirectory, `sandbox.db${end}`), {force: true})
  const fresh = await start(home)
  const urls = (await home.json<Listed>(['sandbox', 'list'])).result.sandboxes.map(each => each.base_url)
  expect(urls).toEqual([fresh.baseUrl, old.baseUrl])
  await old.stop()
  expect(await exportsOf(home)).toMatchObject({BOOKCTL_BASE_URL: fresh.baseUrl})
})
