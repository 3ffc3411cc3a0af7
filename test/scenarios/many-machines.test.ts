/** Machines that share one PostgreSQL: each home is a machine, with a configuration directory of its own. */
import {type AddressInfo, createServer, type Socket} from 'node:net'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {closing, ownHome} from '../support/own.js'
import {findPostgres, type PostgresServer, startPostgres} from '../support/postgres.js'
import {ScriptedService} from '../support/scripted-service.js'
import {GUESTS} from '../support/stay.js'

const found = await findPostgres()
const missing = 'missing' in found ? found.missing : undefined
if (missing !== undefined) console.warn(`PostgreSQL is not tested here: ${missing}`)

const service = await ScriptedService.start()
const POSTS = '/reservations/hotel'
afterAll(() => service.close())

describe.skipIf(missing)('with a store that machines share', () => {
  let server: PostgresServer
  let store: string
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.close())

  /** A machine of its own, at a database of its own for each test. */
  const machine = (env: Record<string, string> = {}) =>
    ownHome({...service.env, BOOKCTL_STORE: store, ...env})
  const fresh = async (name: string) => {
    store = await server.url(name)
    service.forget()
  }
  const reserving = (offer: string) => [
    'reserve',
    offer,
    '--pay',
    'account',
    '--nationality',
    'TR',
    ...GUESTS,
    '--yes',
  ]
  const sent = () => service.seen(POSTS).length

  test('a reservation made on one is known on another, and made once', async () => {
    await fresh('once')
    const one = await machine().json(reserving('off_1'))
    const other = await machine().json(reserving('off_1'))
    expect([one.exit, other.exit]).toEqual([0, 0])
    expect(other.result.idempotency_key).toBe(one.result.idempotency_key)
    expect(sent()).toBe(1)
    const {result} = await machine().json<{entries: object[]}>(['journal'])
    expect(result.entries).toMatchObject([{outcome: 'confirmed', offer_id: 'off_1'}])
    expect(service.seen('/oauth/token').length).toBe(1)
  })

  test('no token and no body can be read in the database', async () => {
    await fresh('sealed')
    service.script = ({path}) => path === POSTS
    const unknown = await machine().json([...reserving('off_2'), '--timeout', '2'])
    service.script = () => false
    expect(unknown.exit).toBe(10)
    const dump = await Promise.all(
      ['access_tokens', 'reservations'].map(table =>
        server.sql(`SELECT * FROM bookctl.${table}`, [], 'sealed'),
      ),
    )
    expect(dump.map(rows => rows.length)).toEqual([1, 1])
    const text = Buffer.from(
      JSON.stringify(dump, (_, value) =>
        value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
      ),
    )
    for (const word of ['tok_', 'surname', 'birth_date']) expect(text.includes(word)).toBe(false)
    const resumed = await machine().json(['reserve', '--resume', String(unknown.result.client_reference_id)])
    expect(resumed).toMatchObject({
      exit: 0,
      result: {outcome: 'confirmed', idempotency_key: unknown.result.idempotency_key},
    })
  })

  test('a body that the secret of now cannot open is never sent under a new key', async () => {
    await fresh('rotated')
    service.script = ({path}) => path === POSTS
    const reference = ['--client-reference', 'TRIP-7']
    await machine().json([...reserving('off_3'), ...reference, '--timeout', '2'])
    service.script = () => false
    const before = sent()
    const rotated = machine({BOOKCTL_CLIENT_SECRET: 'sk_test_another'})
    for (const argv of [
      [...reserving('off_3'), ...reference],
      ['reserve', '--resume', 'TRIP-7'],
    ]) {
      expect(await rotated.json(argv)).toMatchObject({
        exit: 2,
        result: {error: {code: 'sealed_with_another_secret'}},
      })
    }
    expect(sent()).toBe(before)
  })

  test('what is wrong with the store is told before anything is sent', async () => {
    await fresh('wrong')
    const away = new URL(store)
    away.port = '1'
    const wrong = new URL(store)
    wrong.password = 'canary-wrong'
    const none = new URL(store)
    none.pathname = '/nowhere'
    const cases: [string, number, string][] = [
      [away.href, 7, 'storage_unreachable'],
      [wrong.href, 2, 'storage_not_allowed'],
      [none.href, 2, 'storage_not_ours'],
      [
        `postgres://ann@127.0.0.1:${new URL(service.env.BOOKCTL_BASE_URL ?? '').port}/x`,
        2,
        'storage_not_ours',
      ],
      ['mysql://ann@localhost/x', 2, 'invalid_store'],
    ]
    for (const [address, exit, code] of cases) {
      const refused = await machine({BOOKCTL_STORE: address}).json([...reserving('off_4'), '--timeout', '3'])
      expect(refused).toMatchObject({exit, result: {error: {code}}})
      expect(JSON.stringify(refused)).not.toContain('canary-wrong')
    }
    expect(service.seen('/oauth/token').length + sent()).toBe(0)
  })

  test('what answers in place of a server is named for what it is', async () => {
    await fresh('other')
    const unencrypted = new URL(store)
    unencrypted.searchParams.set('sslmode', 'verify-full')
    const first = await machine({BOOKCTL_STORE: unencrypted.href}).json(['account'])
    expect(first).toMatchObject({
      exit: 7,
      result: {error: {message: expect.stringContaining('speaks no TLS')}},
    })
    const oddities: [(socket: Socket) => void, string, number, string][] = [
      // What stands before a server that is away.
      [socket => socket.destroy(), '', 7, 'storage_unreachable'],
      [socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), '', 2, 'storage_not_ours'],
      [
        socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
        '?sslmode=verify-full',
        2,
        'storage_not_ours',
      ],
      // At first like a PostgreSQL without TLS, then a way to sign in that there is not.
      [
        socket =>
          socket.on('data', bytes => socket.write(bytes.length === 8 ? 'N' : 'R\0\0\0\x08\0\0\0\x63')),
        '',
        2,
        'storage_not_ours',
      ],
    ]
    for (const [behave, parameters, exit, code] of oddities) {
      const odd = closing(
        createServer(socket => {
          socket.on('error', () => {})
          behave(socket)
        }),
      )
      await new Promise<void>(resolve => odd.listen(0, '127.0.0.1', resolve))
      const {port} = odd.address() as AddressInfo
      const address = `postgres://ann@127.0.0.1:${port}/booking${parameters}`
      const refused = await machine({BOOKCTL_STORE: address}).spawn(['account', '--json', '--timeout', '5'])
      expect({...refused, stdout: JSON.parse(refused.stdout)}).toMatchObject({exit, stdout: {error: {code}}})
    }
  })

  test('what this machine began before the store was set is not begun again in it', async () => {
    await fresh('before')
    const home = machine()
    const local = await home.json(reserving('off_5'), {env: {BOOKCTL_STORE: ''}})
    expect(local.exit).toBe(0)
    const again = await home.json(reserving('off_5'))
    expect(again).toMatchObject({exit: 2, result: {error: {code: 'begun_without_store'}}})
    expect(sent()).toBe(1)
  })

  test('a home that cannot be written needs no other keys: the store remembers', async () => {
    await fresh('unwritable')
    const unwritable = machine({BOOKCTL_CONFIG_DIR: '/dev/null/config'})
    const one = await unwritable.json(reserving('off_8'))
    const other = await machine().json(reserving('off_8'))
    expect([one.exit, other.exit]).toEqual([0, 0])
    expect(other.result.idempotency_key).toBe(one.result.idempotency_key)
    expect(sent()).toBe(1)
  })

  test('logout removes what is here whether the store is there or not, and says which', async () => {
    await fresh('logout')
    const away = new URL(store)
    away.port = '1'
    const refused = new URL(store)
    refused.password = 'canary-wrong'
    const {BOOKCTL_BASE_URL = '', BOOKCTL_CLIENT_ID = '', BOOKCTL_CLIENT_SECRET = ''} = service.env
    const stored = async () => (await server.sql('SELECT FROM bookctl.access_tokens', [], 'logout')).length
    for (const argv of [['logout'], ['logout', '--all']]) {
      for (const [address, exit, code] of [
        [away.href, 7, 'storage_unreachable'],
        [refused.href, 2, 'storage_not_allowed'],
      ] as const) {
        const home = ownHome({BOOKCTL_STORE: store})
        const credentials = ['--base-url', BOOKCTL_BASE_URL, '--client-id', BOOKCTL_CLIENT_ID]
        const login = ['login', ...credentials, '--client-secret-stdin']
        expect(await home.run(login, {stdin: BOOKCTL_CLIENT_SECRET})).toMatchObject({exit: 0})
        const left = await home.json(argv, {env: {BOOKCTL_STORE: address}})
        expect(left).toMatchObject({
          exit,
          result: {error: {code, message: expect.stringContaining('removed from this machine, but')}},
        })
        expect(await home.json(['account'])).toMatchObject({exit: 4})
        expect(await stored()).toBe(1)
        expect((await home.json(argv)).exit).toBe(0)
        expect(await stored()).toBe(0)
      }
    }
  })

  test('logout with credentials of the environment revokes their tokens in the store', async () => {
    await fresh('environment')
    const home = machine()
    for (const argv of [['logout'], ['logout', '--all']]) {
      const before = service.seen('/oauth/revoke').length
      expect((await home.json(['account'])).exit).toBe(0)
      expect(await home.json(argv)).toMatchObject({exit: 0, result: {revoked: true, removed: true}})
      expect(service.seen('/oauth/revoke').length - before).toBe(1)
      expect(await server.sql('SELECT FROM bookctl.access_tokens', [], 'environment')).toEqual([])
    }
  })

  test('doctor looks at the store, and says what is wrong with it', async () => {
    await fresh('doctor')
    const look = async (env: Record<string, string> = {}) => {
      const {result} = await machine(env).json<{checks: {name: string; status: string; detail: string}[]}>([
        'doctor',
      ])
      return result.checks.find(({name}) => name === 'store')
    }
    // The servers of tests do not wait for the disk.
    expect(await look()).toMatchObject({
      status: 'warn',
      detail: expect.stringMatching(/schema \d+, .* clock .*fsync is off/),
    })
    expect(await look({BOOKCTL_STORE: ''})).toMatchObject({status: 'skipped'})
    const away = new URL(store)
    away.port = '1'
    expect(await look({BOOKCTL_STORE: away.href})).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('cannot be reached'),
    })
    await server.sql(
      `CREATE ROLE reader LOGIN PASSWORD 'reads'; GRANT USAGE ON SCHEMA bookctl TO reader;
      GRANT SELECT ON ALL TABLES IN SCHEMA bookctl TO reader`,
      [],
      'doctor',
    )
    const reader = new URL(store)
    reader.username = 'reader'
    reader.password = 'reads'
    expect(await look({BOOKCTL_STORE: reader.href})).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('right to write'),
    })
    const listening = ['webhooks', 'listen', '--port', '0']
    const signed = {BOOKCTL_WEBHOOK_SECRET: 'whsec_many_machines_share_one_memory'}
    for (const argv of [reserving('off_6'), listening]) {
      const refused = await machine({BOOKCTL_STORE: reader.href, ...signed}).json(argv)
      expect(refused).toMatchObject({exit: 2, result: {error: {code: 'storage_not_writable'}}})
    }
    await server.sql('ALTER DATABASE doctor SET default_transaction_read_only = on')
    for (const argv of [reserving('off_7'), listening, ['logout']]) {
      const refused = await machine(signed).json(argv)
      expect(refused).toMatchObject({
        exit: 2,
        result: {error: {message: expect.stringContaining('takes no writes')}},
      })
    }
    await server.sql('ALTER DATABASE doctor RESET default_transaction_read_only')
    await server.sql('UPDATE bookctl.schema_version SET version = 99', [], 'doctor')
    expect(await look()).toMatchObject({status: 'fail', detail: expect.stringContaining('newer bookctl')})
    expect(sent()).toBe(0)
  })

  test('an address with a password is not written to the settings, and never shown', async () => {
    await fresh('settings')
    const home = machine({BOOKCTL_STORE: ''})
    expect(await home.json(['config', 'set', 'store', store])).toMatchObject({
      exit: 2,
      result: {error: {code: 'password_in_store'}},
    })
    const plain = new URL(store)
    plain.password = ''
    expect((await home.run(['config', 'set', 'store', plain.href])).exit).toBe(0)
    const account = await home.json(['account'], {env: {PGPASSWORD: 'only-for-tests'}})
    expect(account.exit).toBe(0)
    expect(await home.json(['account'])).toMatchObject({
      exit: 2,
      result: {error: {code: 'storage_not_allowed'}},
    })
    const listed = await home.run(['config', 'list'], {env: {BOOKCTL_STORE: store}})
    expect(listed.stdout).toContain('BOOKCTL_STORE')
    expect(listed.stdout + listed.stderr).not.toContain('only-for-tests')
  })

  test('old events are pruned in the store as in files', async () => {
    await fresh('prune')
    for (const env of [{}, {BOOKCTL_STORE: ''}]) {
      expect(await machine(env).json(['webhooks', 'events', 'prune', '--older-than', '1d'])).toMatchObject({
        exit: 0,
        result: {removed: 0},
      })
    }
    expect(await machine().json(['webhooks', 'events', 'prune'])).toMatchObject({exit: 2})
    expect(await machine().json(['webhooks', 'events', 'prune', '--older-than', 'soon'])).toMatchObject({
      exit: 2,
    })
    await server.sql(
      `INSERT INTO bookctl.events (profile, event_id, received_at, secret_name, headers, body, arrival)
      SELECT 'default', 'evt_' || n, now() - make_interval(hours => n), 's', '', '', gen_random_uuid()
      FROM generate_series(1, 3000) n`,
      [],
      'prune',
    )
    await server.sql(
      `INSERT INTO bookctl.forwards (sequence, target, state, due_at)
      SELECT sequence, 'http://127.0.0.1:9/', 'pending', now() FROM bookctl.events WHERE event_id = 'evt_2000'`,
      [],
      'prune',
    )
    const {result} = await machine().json(['webhooks', 'events', 'prune', '--older-than', '1d'])
    expect(result).toEqual({removed: 2976})
  })
})
