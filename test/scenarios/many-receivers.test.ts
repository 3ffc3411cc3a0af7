/** Receivers on several machines that share one PostgreSQL, behind any load balancer. */
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {eventually} from '../support/eventually.js'
import type {ListenProcess} from '../support/listening.js'
import {closing, ownListening, ownTarget} from '../support/own.js'
import {startSubscriber} from '../support/subscriber.js'
import {SECRET, signedRequest, statusOf} from '../support/webhook-load.js'
import {describeSharing} from './sharing-machines.js'

const bodyOf = (id: string) => JSON.stringify({id, type: 'voucher.ready', data: {object: 'voucher'}})

/** Sends one event. Returns the status of the answer. */
async function send({port}: {port: number}, id: string): Promise<number> {
  const request = signedRequest(bodyOf(id), 'evt_1').toString('latin1')
  return statusOf(port, Buffer.from(request.replace(/X-Service-Event-Id: .*\r\n/, ''), 'latin1'))
}

/** Returns the lines of these receivers that report a new event. */
const newLines = (receivers: readonly ListenProcess[]) =>
  receivers.flatMap(({lines}) => lines).filter(({type, duplicate}) => type === 'event' && !duplicate)

await describeSharing(({machine, server, sql, database, shut}) => {
  const receiver = (target?: string) => ownListening(machine(), target ? ['--forward-to', target] : [])
  const forwards = () =>
    sql<{state: string; lease: string | null}>('SELECT state, lease FROM bookctl.forwards')

  test('an event that reaches every receiver is stored, reported as new, and forwarded only once', async () => {
    const target = await ownTarget(200)
    const receivers = await Promise.all([1, 2, 3].map(() => receiver(target.url)))
    const ids = Array.from({length: 40}, (_, n) => `evt_${n}`)
    const answers = await Promise.all(ids.flatMap(id => receivers.map(each => send(each, id))))
    expect(answers).toEqual(answers.map(() => 200))
    await eventually(async () =>
      expect((await forwards()).map(({state}) => state)).toEqual(ids.map(() => 'done')),
    )
    await Promise.all(receivers.map(each => each.stop()))
    expect(target.got.length).toBe(ids.length)
    expect(receivers.flatMap(({lines}) => lines.filter(({type}) => type === 'event')).length).toBe(120)
    expect(newLines(receivers).map(({event_id}) => event_id)).toEqual(expect.arrayContaining(ids))
    expect(newLines(receivers).length).toBe(ids.length)

    const other = machine()
    const list = await other.json<{events: object[]}>(['webhooks', 'events', 'list', '--limit', '100'])
    expect(list.result.events.length).toBe(ids.length)
    const shown = await other.json(['webhooks', 'events', 'show', 'evt_7'])
    const forwarded = [{target: target.url, state: 'done'}]
    expect(shown.result).toMatchObject({event: {event_id: 'evt_7', forwards: forwarded}})
    const replayed = await other.json(['webhooks', 'events', 'replay', 'evt_7', '--to', target.url])
    expect([replayed.exit, target.got.length]).toEqual([0, ids.length + 1])
    const exported = await other.run(['webhooks', 'events', 'export', '--file', 'all.jsonl'])
    expect(exported.exit).toBe(0)
    expect(readFileSync(join(other.directory, 'all.jsonl'), 'utf8').trim().split('\n').length).toBe(40)
  })

  test('the forwards of a stopped receiver are taken over at once, those of a killed one when its lease has ended', async () => {
    let hangs = true
    const target = closing(
      await startSubscriber(answer => {
        if (!hangs) answer.writeHead(200).end()
      }),
    )
    const url = `${target.origin}/hooks`
    const elsewhere = await ownTarget(200)
    // The receivers start one after the other, because either could take over the other's events.
    const killed = await receiver(url)
    expect(await send(killed, 'evt_1')).toBe(200)
    await target.waitFor(1)
    expect((await killed.stop('SIGKILL')).exit).toBe('SIGKILL')
    // On a slow machine the lease must not end before the test looks at it.
    const later = `UPDATE bookctl.forwards SET due_at = clock_timestamp() + interval '1 hour' WHERE lease IS NOT NULL`
    await sql(later)
    const stopped = await receiver(url)
    expect(await send(stopped, 'evt_2')).toBe(200)
    await target.waitFor(2)
    expect((await stopped.stop()).exit).toBe(143)
    hangs = false
    const other = await receiver(elsewhere.url)
    const next = await receiver(url)
    const leases = async () => (await forwards()).filter(({lease}) => lease !== null).length
    await eventually(async () => expect([target.received.length, await leases()]).toEqual([3, 1]))
    expect((await forwards()).map(({state}) => state).sort()).toEqual(['done', 'pending'])
    await sql('UPDATE bookctl.forwards SET due_at = clock_timestamp() WHERE lease IS NOT NULL')
    await target.waitFor(4)
    await eventually(async () => expect((await forwards()).map(({state}) => state)).toEqual(['done', 'done']))
    expect(elsewhere.got).toEqual([])
    expect(next.lines.filter(({type}) => type === 'forward').length).toBe(2)
    expect(other.lines).toEqual([])
  })

  test('while the server is down they answer 503, and go on by themselves once it is back', async () => {
    const target = await ownTarget(200)
    const receivers = [await receiver(target.url), await receiver(target.url)] as const
    expect(await send(receivers[0], 'evt_1')).toBe(200)
    const {kill, start, sql: run} = server()
    const allow = () => run(`ALTER DATABASE ${database()} ALLOW_CONNECTIONS true`)
    const [down, shutDown] = [['evt_2', kill, start] as const, ['evt_3', shut, allow] as const]
    for (const [id, goes, comes] of [down, shutDown]) {
      await goes()
      expect(await Promise.all(receivers.map(each => send(each, id)))).toEqual([503, 503])
      const late = await machine({BOOKCTL_WEBHOOK_SECRET: SECRET}).refusal(['webhooks', 'listen'])
      expect(late).toMatchObject({exit: 7, code: 'storage_unreachable'})
      await comes()
      for (const each of receivers) await eventually(async () => expect(await send(each, id)).toBe(200))
    }
    await eventually(() => expect(target.got.length).toBe(3))
    const ids = () => newLines(receivers).map(({event_id}) => event_id)
    await eventually(() => expect(ids()).toEqual(['evt_1', 'evt_2', 'evt_3']))
  })

  test('an event whose commit was not answered is stored once, and one receiver reports it as new', async () => {
    const [one, other] = [await receiver(), await receiver()]
    expect(await send(one, 'evt_0')).toBe(200)
    // The transaction is delayed until the receiver has given up, and then succeeds.
    await sql(
      `CREATE FUNCTION bookctl.slow() RETURNS trigger LANGUAGE plpgsql AS
         $f$ BEGIN PERFORM set_config('client_connection_check_interval', '0', true), pg_sleep(2.5); RETURN NULL; END $f$;
       CREATE TRIGGER slow AFTER INSERT ON bookctl.events EXECUTE FUNCTION bookctl.slow()`,
    )
    expect(await send(one, 'evt_1')).toBe(503)
    const arrivals = () =>
      sql<{arrival: string}>("SELECT arrival::text FROM bookctl.events WHERE event_id = 'evt_1'")
    await eventually(async () =>
      expect(await arrivals()).toMatchObject([{arrival: expect.stringMatching(/^0{8}/)}]),
    )
    await sql('DROP TRIGGER slow ON bookctl.events')
    expect([await send(other, 'evt_1'), await send(one, 'evt_1')]).toEqual([200, 200])
    await eventually(() => expect(one.lines.length + other.lines.length).toBe(3))
    expect(newLines([one, other]).map(({event_id}) => event_id)).toEqual(['evt_0', 'evt_1'])
  })

  test('an event whose id is too long for an index is still stored, and known again', async () => {
    const one = await receiver()
    const ids = [`evt_${'ş'.repeat(5000)}1`, `evt_${'ş'.repeat(5000)}2`]
    for (const id of [...ids, ...ids]) expect(await send(one, id)).toBe(200)
    await eventually(() => expect(one.lines.length).toBe(4))
    expect(one.lines.map(({duplicate}) => duplicate)).toEqual([...ids, ...ids].map((_, n) => n >= ids.length))
  })
})
