/** Machines that share one PostgreSQL. Each home is a machine with its own configuration directory. */
import {expect, test} from 'vitest'
import {ownTcpPort} from '../support/own.js'
import {reserving} from '../support/stay.js'
import {tunnel} from '../support/tcp.js'
import {describeSharing, POSTS} from './sharing-machines.js'

await describeSharing(({service, server, machine, sql, store, sent}) => {
  test('no token and no body can be read in the database', async () => {
    service.script = ({path}) => path === POSTS
    const unknown = await machine().json([...reserving('off_2'), '--timeout', '2'])
    service.script = () => false
    expect(unknown.exit).toBe(10)
    const tables = ['access_tokens', 'reservations']
    const dump = await Promise.all(tables.map(table => sql(`SELECT * FROM bookctl.${table}`)))
    expect(dump.map(rows => rows.length)).toEqual([1, 1])
    const text = Buffer.from(
      JSON.stringify(dump, (_, value) =>
        value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
      ),
    )
    for (const word of ['tok_', 'surname', 'birth_date']) expect(text.includes(word)).toBe(false)
    const resumed = await machine().json(['reserve', '--resume', String(unknown.result.client_reference_id)])
    const {idempotency_key} = unknown.result
    expect(resumed).toMatchObject({exit: 0, result: {outcome: 'confirmed', idempotency_key}})
  })

  test('a generated reference cannot be computed without the client secret', async () => {
    const referenceWith = async (env: Record<string, string>) => {
      const argv = reserving('off_5', '--dry-run')
      const {result} = await machine(env).json<{body: {client_reference_id: string}}>(argv)
      return result.body.client_reference_id
    }
    const reference = await referenceWith({})
    expect(reference).toMatch(/^bk2-/)
    expect(await referenceWith({})).toBe(reference)
    const rotated = {BOOKCTL_CLIENT_SECRET: 'sk_test_another'}
    expect(await referenceWith(rotated)).not.toBe(reference)
    const none = {BOOKCTL_STORE: ''}
    expect(await referenceWith({...rotated, ...none})).toBe(await referenceWith(none))
  })

  test('a body that the current secret cannot decrypt is never sent with a new key', async () => {
    service.script = ({path}) => path === POSTS
    const reference = ['--client-reference', 'TRIP-7']
    await machine().json([...reserving('off_3'), ...reference, '--timeout', '2'])
    service.script = () => false
    const before = sent()
    const rotated = machine({BOOKCTL_CLIENT_SECRET: 'sk_test_another'})
    const sealed = {exit: 2, code: 'sealed_with_another_secret'}
    expect(await rotated.refusal([...reserving('off_3'), ...reference])).toMatchObject(sealed)
    expect(await rotated.refusal(['reserve', '--resume', 'TRIP-7'])).toMatchObject(sealed)
    expect(sent()).toBe(before)
  })

  test('a confirmed booking is shown, and other guests refused, after the client secret has changed', async () => {
    const given = ['--client-reference', 'TRIP-9'] as const
    for (const [offer, ...more] of [['off_20'], ['off_21', ...given]] as const) {
      const made = await machine().json([...reserving(offer), ...more])
      const before = sent()
      const rotated = machine({BOOKCTL_CLIENT_SECRET: 'sk_test_another'})
      const again = await rotated.json([...reserving(offer), ...more])
      const {reservation_ref, idempotency_key} = made.result
      expect(again).toMatchObject({exit: 0, result: {outcome: 'confirmed', reservation_ref, idempotency_key}})
      const others = reserving(offer).map(word => word.replace('surname=', 'surname=Other'))
      const refused = await rotated.json([...others, ...more])
      expect(refused).toMatchObject({exit: 2, result: {reservation_ref, status: 'CONFIRMED'}})
      expect(await rotated.json([...reserving(offer), '--client-reference', 'TRIP-8'])).toMatchObject({
        exit: 2,
      })
      expect(sent()).toBe(before)
    }
  })

  test('what is wrong with the store is reported before anything is sent', async () => {
    await sql("CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0")
    const cases: [string, number, string][] = [
      [store({port: '1'}), 7, 'storage_unreachable'],
      [store({password: 'canary-wrong'}), 2, 'storage_not_allowed'],
      [store({pathname: '/nowhere'}), 2, 'storage_not_ours'],
      [store({pathname: '/ascii'}), 2, 'storage_not_ours'],
      [store({port: new URL(service.baseUrl).port}), 2, 'storage_not_ours'],
      ['mysql://ann@localhost/x', 2, 'invalid_store'],
    ]
    for (const [address, exit, code] of cases) {
      const home = machine({BOOKCTL_STORE: address})
      const refused = await home.refusal([...reserving('off_4'), '--timeout', '3'])
      expect(refused).toMatchObject({exit, code})
      expect(JSON.stringify(refused)).not.toContain('canary-wrong')
    }
    const unsealed = machine({BOOKCTL_TOKEN: 'tok_given', BOOKCTL_CLIENT_ID: '', BOOKCTL_CLIENT_SECRET: ''})
    expect(await unsealed.refusal(reserving('off_4'))).toMatchObject({exit: 2, code: 'no_secret_to_seal'})
    expect(service.seen('/oauth/token').length + sent()).toBe(0)
  })

  test('reports what answered if it is not a PostgreSQL server', async () => {
    const strict = machine({BOOKCTL_STORE: store({search: 'sslmode=verify-full'})})
    const message = expect.stringContaining('speaks no TLS')
    expect(await strict.refusal(['account'])).toMatchObject({exit: 7, message})
    const oddities: [said: string, search: string, number, string][] = [
      // The proxy in front of an unreachable server closes the connection at once.
      ['', '', 7, 'storage_unreachable'],
      ['HTTP/1.1 400 Bad Request\r\n\r\n', '', 2, 'storage_not_ours'],
      ['HTTP/1.1 400 Bad Request\r\n\r\n', 'sslmode=verify-full', 2, 'storage_not_ours'],
      ['SSH-2.0-OpenSSH_9.6\r\n', '', 2, 'storage_not_ours'],
      // An authentication method that does not exist.
      ['R\0\0\0\x08\0\0\0\x63', '', 2, 'storage_not_ours'],
    ]
    for (const [said, search, exit, code] of oddities) {
      const port = await ownTcpPort(socket => void socket.end(said))
      const home = machine({BOOKCTL_STORE: store({port: String(port), search})})
      expect(await home.refusal(['account', '--timeout', '5'])).toMatchObject({exit, code})
    }
  })

  test.each([
    ['has no connection left', '53300'],
    ['takes no options, as a pooler', '08P01'],
  ])('a server that %s is asked again', async (_, code) => {
    const problem = Buffer.from(`E____C${code}\0Mno\0\0`)
    problem.writeInt32BE(problem.length - 1, 1)
    const startups: string[] = []
    const port = await ownTcpPort(client =>
      client.once('data', startup => {
        if (startups.push(startup.toString()) === 1) client.end(problem)
        else tunnel(client, server().port).write(startup)
      }),
    )
    const home = machine({BOOKCTL_STORE: store({port: String(port)})})
    expect((await home.json(['journal'])).result).toEqual({entries: []})
    const limited = startups.map(startup => startup.includes('statement_timeout'))
    expect(limited).toEqual([true, code === '53300'])
  })

  test('a reservation started here before the store was set is not started again in it', async () => {
    const home = machine()
    const alone = {env: {BOOKCTL_STORE: ''}}
    const {result} = await home.json<{client_reference_id: string}>(reserving('off_5'), alone)
    for (const argv of [reserving('off_5'), ['reserve', '--resume', result.client_reference_id]])
      expect(await home.refusal(argv)).toMatchObject({exit: 2, code: 'begun_without_store'})
    expect(sent()).toBe(1)
  })

  test('a home that cannot be written needs no other keys: the store remembers', async () => {
    const unwritable = machine({BOOKCTL_CONFIG_DIR: '/dev/null/config'})
    const one = await unwritable.json(reserving('off_8'))
    const other = await machine().json(reserving('off_8'))
    expect([one.exit, other.exit]).toEqual([0, 0])
    expect(other.result.idempotency_key).toBe(one.result.idempotency_key)
    expect(sent()).toBe(1)
  })
})
