/** Commands for a shared store other than booking: logging out, inspecting, configuring and pruning it. */
import {expect, test} from 'vitest'
import {ownHome} from '../support/own.js'
import {reserving, SEARCH} from '../support/stay.js'
import {failed, runDoctor, SKIPPED} from './run-doctor.js'
import {describeSharing} from './sharing-machines.js'

await describeSharing(({service, machine, server, database, sql, store, sent, shut}) => {
  test('logout removes what this machine stores, even if the shared store is unreachable, and says so', async () => {
    const {BOOKCTL_BASE_URL = '', BOOKCTL_CLIENT_ID = '', BOOKCTL_CLIENT_SECRET = ''} = service.env
    const stored = async () => (await sql('SELECT FROM bookctl.access_tokens')).length
    for (const argv of [['logout'], ['logout', '--all']]) {
      for (const [address, exit, code] of [
        [store({port: '1'}), 7, 'storage_unreachable'],
        [store({password: 'canary-wrong'}), 2, 'storage_not_allowed'],
      ] as const) {
        const home = ownHome({BOOKCTL_STORE: store()})
        const credentials = ['--base-url', BOOKCTL_BASE_URL, '--client-id', BOOKCTL_CLIENT_ID]
        const login = ['login', ...credentials, '--client-secret-stdin']
        expect(await home.run(login, {stdin: BOOKCTL_CLIENT_SECRET})).toMatchObject({exit: 0})
        const message = expect.stringContaining('removed from this machine, but')
        const left = await home.refusal(argv, {env: {BOOKCTL_STORE: address}})
        expect(left).toMatchObject({exit, code, message})
        expect(await home.json(['account'])).toMatchObject({exit: 4})
        expect(await stored()).toBe(1)
        expect((await home.json(argv)).exit).toBe(0)
        expect(await stored()).toBe(0)
      }
    }
  })

  test('logout with credentials of the environment revokes their tokens in the store', async () => {
    const home = machine()
    for (const argv of [['logout'], ['logout', '--all']]) {
      const before = service.seen('/oauth/revoke').length
      expect((await home.json(['account'])).exit).toBe(0)
      expect(await home.json(argv)).toMatchObject({exit: 0, result: {revoked: true, removed: true}})
      expect(service.seen('/oauth/revoke').length - before).toBe(1)
      expect(await sql('SELECT FROM bookctl.access_tokens')).toEqual([])
    }
  })

  test('doctor checks the store, and says what is wrong with it', async () => {
    const look = (env: Record<string, string> = {}) => runDoctor(machine(env))
    const detail = expect.stringMatching(/schema \d+, .* clock .*fsync is off/)
    // The servers of tests do not wait for the disk, which doctor reports.
    expect(await look()).toMatchObject({store: {status: 'warn', detail}})
    expect(await look({BOOKCTL_STORE: ''})).toMatchObject({store: SKIPPED})
    const closed = {BOOKCTL_STORE: store({port: '1'})}
    expect(await look(closed)).toMatchObject({store: failed('cannot be reached')})
    await sql(`CREATE ROLE reader LOGIN PASSWORD 'reads'; GRANT USAGE ON SCHEMA bookctl TO reader;
      GRANT SELECT ON ALL TABLES IN SCHEMA bookctl TO reader`)
    const reader = {BOOKCTL_STORE: store({username: 'reader', password: 'reads'})}
    expect(await look(reader)).toMatchObject({store: failed('right to write')})
    const listening = ['webhooks', 'listen', '--port', '0']
    const signed = {BOOKCTL_WEBHOOK_SECRET: 'whsec_many_machines_share_one_memory'}
    for (const argv of [reserving('off_6'), listening]) {
      const refused = await machine({...reader, ...signed}).refusal(argv)
      expect(refused).toMatchObject({exit: 2, code: 'storage_not_writable'})
    }
    await sql(`ALTER DATABASE ${database()} SET default_transaction_read_only = on`)
    const message = expect.stringContaining('takes no writes')
    for (const argv of [reserving('off_7'), listening, ['logout']])
      expect(await machine(signed).refusal(argv)).toMatchObject({exit: 2, message})
    expect(await look()).toMatchObject({store: failed('takes no writes')})
    await server().sql(`ALTER DATABASE ${database()} RESET default_transaction_read_only`)
    await sql('ALTER TABLE bookctl.leases RENAME TO l')
    expect(await look()).toMatchObject({store: failed('damaged (42P01, bookctl.leases)')})
    expect(await machine(signed).refusal(listening)).toMatchObject({exit: 2, code: 'storage_not_ours'})
    await sql('INSERT INTO bookctl.schema_version (version) VALUES (99)')
    expect(await look()).toMatchObject({store: failed('newer bookctl')})
    expect(sent()).toBe(0)
  })

  test('an address with a password is not written to the settings, and never shown', async () => {
    const home = machine({BOOKCTL_STORE: ''})
    const set = ['config', 'set', 'store', store()]
    expect(await home.refusal(set)).toMatchObject({exit: 2, code: 'password_in_store'})
    expect((await home.run(['config', 'set', 'store', store({password: ''})])).exit).toBe(0)
    const account = await home.json(['account'], {env: {PGPASSWORD: 'only-for-tests'}})
    expect(account.exit).toBe(0)
    expect(await home.refusal(['account'])).toMatchObject({exit: 2, code: 'storage_not_allowed'})
    const listed = await home.run(['config', 'list'], {env: {BOOKCTL_STORE: store()}})
    expect(listed.stdout).toContain('BOOKCTL_STORE')
    expect(listed.stdout + listed.stderr).not.toContain('only-for-tests')
  })

  test('a search whose answer had come is printed with a warning when the store is lost', async () => {
    const home = machine()
    expect((await home.run(['account'])).exit).toBe(0)
    service.script = async ({path}) => {
      if (path !== '/hotels/search') return false
      await shut()
      return false
    }
    const {exit, stdout, stderr} = await home.run([...SEARCH, '--json'])
    expect({exit, offers: JSON.parse(stdout).offers.length > 0}).toEqual({exit: 0, offers: true})
    expect(stderr).toContain('the offers could not be stored')
  })

  test('old events are pruned in the store as in files', async () => {
    const prune = ['webhooks', 'events', 'prune']
    const old = [...prune, '--older-than', '1d']
    for (const env of [{}, {BOOKCTL_STORE: ''}])
      expect(await machine(env).json(old)).toMatchObject({exit: 0, result: {removed: 0}})
    for (const wrong of [prune, ...['soon', '5'].map(age => [...prune, '--older-than', age])])
      expect(await machine().run(wrong)).toMatchObject({exit: 2})
    await sql(`INSERT INTO bookctl.events (profile, event_id, received_at, secret_name, headers, body, arrival)
      SELECT 'default', 'evt_' || n, now() - make_interval(hours => n), 's', '', '', gen_random_uuid()
      FROM generate_series(1, 3000) n`)
    await sql(`INSERT INTO bookctl.forwards (sequence, target, state, due_at)
      SELECT sequence, 'http://127.0.0.1:9/', 'pending', now() FROM bookctl.events WHERE event_id = 'evt_2000'`)
    const {result} = await machine().json(old)
    expect(result).toEqual({removed: 2976})
  })
})
