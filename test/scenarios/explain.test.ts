/** `explain`: one question about a reservation by each of its names, whether logged in or not, and about a captured webhook. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import type {RequestFact} from '../../src/cli/features/explain/facts.js'
import {unjudgedIn} from '../../src/cli/features/explain/findings.js'
import {replyResult} from '../../src/cli/features/explain/reply.js'
import {facts} from '../cli/features/explain/made-up-facts.js'
import type {Home} from '../support/bookctl.js'
import {ownSandbox, sandboxOfFile} from '../support/served-sandbox.js'
import {firstOffer, reservationIn, reserving, searchWith} from '../support/stay.js'
import {makeWebhookFiles, SIGNING_SECRET} from '../support/webhook-files.js'
import {describeSharing} from './sharing-machines.js'

interface Explanation {
  readonly subject: {readonly kind: string; readonly id: string; readonly reservation_refs: string[]}
  readonly timeline: {readonly at: string; readonly what: string; readonly source: string}[]
  readonly findings: {
    readonly code: string
    readonly severity: string
    readonly text: string
    readonly advice: string
  }[]
  readonly looked_in: {readonly source: string; readonly problem: string | null}[]
}

const LOGGED_OUT = {env: {BOOKCTL_CLIENT_ID: '', BOOKCTL_CLIENT_SECRET: ''}}

const explained = (home: Home, what: string, options = {}) =>
  home.json<Explanation>(['explain', what], options).then(({exit, result}) => ({exit, ...result}))

const codes = ({findings}: Pick<Explanation, 'findings'>) => findings.map(({code}) => code)

/** Books the first offer for a stay from that day, and returns the names of the reservation. */
async function booked(home: Home, reference: string, day = '2030-06-01') {
  const offer = await firstOffer(home, searchWith({'--check-in': day}))
  const argv = reserving(offer, '--client-reference', reference, '--json')
  const {result} = await home.json<{reservation_ref: string; idempotency_key: string}>(argv)
  return {offer, reference, made: result.reservation_ref, key: result.idempotency_key}
}

describe('a reservation', async () => {
  const sandbox = await sandboxOfFile()
  const {home} = sandbox

  test('is explained by each of its names, from every source, oldest first', async () => {
    const {offer, reference, made, key} = await booked(home, 'names-1')
    const requests = await sandbox.listed('requests')
    const request = requests.find(({body}) => body?.client_reference_id === reference)?.request_id
    const kinds = {
      [made]: 'reservation',
      [reference]: 'client_reference',
      [offer]: 'offer',
      [request]: 'request',
      [key]: 'request',
    }
    for (const [what, kind] of Object.entries(kinds)) {
      const {exit, subject, timeline, findings} = await explained(home, what)
      expect({exit, subject}).toEqual({exit: 0, subject: {kind, id: what, reservation_refs: [made]}})
      const sources = new Set(timeline.map(({source}) => source))
      expect([...sources].sort()).toEqual(['journal', 'offers', 'requests', 'sandbox', 'service'])
      expect(timeline.map(({at}) => at)).toEqual(timeline.map(({at}) => at).sort())
      expect(findings).toMatchObject([{code: 'no_subscription', severity: 'notice'}])
    }
  })

  test('is explained without a login, and while the service is down, with the sources that were not asked', async () => {
    const {made} = await booked(home, 'alone-1', '2030-06-05')
    const loggedOut = await explained(home, made, LOGGED_OUT)
    expect(loggedOut.looked_in.find(({source}) => source === 'service')?.problem).toContain('not logged in')
    const down = await explained(home, made, {env: {BOOKCTL_BASE_URL: 'http://127.0.0.1:1/v1'}})
    for (const {exit, subject, timeline} of [loggedOut, down]) {
      expect({exit, ids: subject.reservation_refs}).toEqual({exit: 0, ids: [made]})
      expect(timeline.some(({source}) => source === 'journal')).toBe(true)
      expect(timeline.some(({source}) => source === 'service')).toBe(false)
    }
  })

  test('that was booked twice is reported as a likely double, for either reference, until one is cancelled', async () => {
    const first = await booked(home, 'twice-1', '2030-06-10')
    const second = await booked(home, 'twice-2', '2030-06-10')
    const pairs = [
      [first, second],
      [second, first],
    ] as const
    for (const [one, other] of pairs) {
      const found = await explained(home, one.made)
      expect(found.exit).toBe(3)
      expect(found.findings[0]).toMatchObject({code: 'likely_double', severity: 'problem'})
      expect(found.findings[0]?.text).toContain(other.made)
      const reply = await home.run(['explain', one.made, '--reply'])
      expect(reply).toMatchObject({exit: 3, stderr: ''})
      expect(reply.stdout).toContain(
        `This trip is probably booked twice: reservation ${other.made} is for the same guests`,
      )
    }
    await home.run(['reservations', 'cancel', first.made, '--yes'])
    expect(codes(await explained(home, first.made))).toContain('cancelled')
    expect(codes(await explained(home, second.made))).not.toContain('likely_double')
    const third = await booked(home, 'twice-3', '2030-06-10')
    await home.run(['reservations', 'cancel', second.made, '--yes'])
    expect((await explained(home, third.made)).exit).toBe(0)
  })

  test('that another machine booked too is a likely double', async () => {
    const {made} = await booked(home, 'mine-1', '2030-06-15')
    const there = await ownSandbox()
    Object.assign(there.home.env, home.env)
    const other = await booked(there.home, 'theirs-1', '2030-06-15')
    const {findings} = await explained(home, made)
    expect(findings[0]?.text).toContain(other.made)
    // It was not booked from here, and is explained from the service alone.
    const theirs = await explained(home, other.made)
    expect(codes(theirs)).toEqual(['likely_double', 'no_subscription'])
  })

  test('is printed as a report in a pipe, as rows, and as lines', async () => {
    const {made} = await booked(home, 'printed-1', '2030-06-20')
    const report = await home.run(['explain', made])
    expect(report.stdout).toMatch(
      new RegExp(
        `^Reservation ${made}: confirmed\\n\\n\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC  offers `,
      ),
    )
    expect(report.stdout).toContain('1 notice:\nNotice no_subscription: ')
    const rows = await home.run(['explain', made, '--format', 'csv', '--columns', 'source,what'])
    expect(rows.stdout).toMatch(/^source,what\noffers,/)
    const lines = (await home.run(['explain', made, '--format', 'ndjson'])).stdout.trim().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({code: 'no_subscription'})
    const query = await home.run(['explain', made, '--query', 'findings[].code'])
    expect(JSON.parse(query.stdout)).toEqual(['no_subscription'])
  })
})

test('an unknown name is a usage error that lists what was searched for, and where', async () => {
  const {home} = await ownSandbox()
  const unknown = await home.refusal(['explain', 'order-unknown'])
  expect(unknown).toMatchObject({exit: 2, code: 'unknown_subject'})
  expect(unknown.message).toMatch(
    /^nothing is known of "order-unknown": looked for a reservation, .* in the journal, .*, the local sandbox at .*, the service at /,
  )
  for (const [what, kind] of [
    ['evt_none', 'an event'],
    ['off_none', 'an offer'],
  ] as const)
    expect((await home.refusal(['explain', what])).message).toContain(`looked for ${kind} in the journal`)
  const loggedOut = await home.refusal(['explain', 'RSV-NONE'], LOGGED_OUT)
  expect(loggedOut.message).toContain('not asked: the service: not logged in')
  expect(await home.refusal(['explain', ''])).toMatchObject({exit: 2})
  const flag = await home.refusal(['explain', 'RSV-NONE', '--signature', 't=1,v1=aa'])
  expect(flag).toMatchObject({exit: 2, code: 'invalid_flags'})
})

test('a file with a webhook is checked as webhooks verify does', async () => {
  const {home} = await ownSandbox()
  makeWebhookFiles(home.directory, Math.floor(Date.now() / 1000))
  writeFileSync(join(home.directory, 'secret.txt'), `${SIGNING_SECRET}\n`)
  writeFileSync(join(home.directory, 'other.txt'), `${SIGNING_SECRET}x\n`)
  for (const secret of ['secret.txt', 'other.txt'])
    for (const more of [[], ['--json'], ['--reply']]) {
      const words = ['request.http', '--secret-file', secret, '--at', 'signed', ...more]
      const verified = await home.run(['webhooks', 'verify', ...words])
      expect(verified.exit).toBe(secret === 'secret.txt' ? 0 : 9)
      expect(await home.run(['explain', ...words])).toEqual(verified)
    }
  const missing = await home.refusal(['explain', 'nothing.http'])
  expect(missing).toMatchObject({exit: 2, code: 'unknown_subject'})
})

await describeSharing(({machine}) => {
  test('explains a booking of another machine, and reports a double booking of two machines', async () => {
    const {env} = await ownSandbox()
    const [first, second] = [machine(env), machine(env)]
    const {made} = await booked(first, 'shared-1')
    const known = await explained(second, 'shared-1', LOGGED_OUT)
    expect(known.subject).toMatchObject({kind: 'client_reference', reservation_refs: [made]})
    const other = await booked(second, 'shared-2')
    const found = await explained(first, made)
    expect(found.findings[0]).toMatchObject({code: 'likely_double'})
    expect(found.findings[0]?.text).toContain(other.made)
    const loggedOut = await explained(first, made, LOGGED_OUT)
    expect(codes(loggedOut)).toContain('likely_double')
  })
})

test('if the service always fails, the report says that it did not answer, and gives no all-clear', async () => {
  const {home, fault} = await ownSandbox()
  const made = await reservationIn(home)
  await fault({operation: '*', kind: 'html', times: 50})
  const reply = await home.run(['explain', made, '--reply'])
  expect(reply.stdout).toContain('could not be asked')
  const report = await home.run(['explain', made])
  expect(report.stdout).toContain('Not answered: the reservation of the service')
  expect(report.stdout).not.toContain('Not asked')
})

test('the reply reports a declined payment and a refused request, with the reason', async () => {
  const {home, control, listed} = await ownSandbox()
  const made = await reservationIn(home, 'instant')
  await control('POST', `/_sandbox/payments/${made}`, {result: 'failed'})
  const reply = await home.run(['explain', made, '--reply'])
  expect(reply.stdout).toMatch(/payment for the reservation failed.*Nothing was charged/)
  expect(reply.stdout).toMatch(/paid again by /)

  expect((await home.run(['reservations', 'show', 'RSV-NONE'])).exit).toBe(5)
  const refused = (await listed('requests')).find(({status}) => status === 404)
  const answer = await home.run(['explain', refused.request_id, '--reply'])
  expect(answer.stdout).toContain('refused it with the HTTP status 404')
})

test('if the answer of a booking is not stored, the explanation does not claim that there was no reservation', async () => {
  const {home, listed} = await ownSandbox()
  await reservationIn(home)
  const [booking] = (await listed('requests')).filter(({path}) => path.endsWith('/reservations/hotel'))
  const request: RequestFact = {
    at: 0,
    source: 'sandbox',
    method: 'POST',
    path: booking.path,
    status: 201,
    reason: null,
    errorCode: null,
    ms: null,
    requestId: 'req_1',
    idempotencyKey: null,
    attempt: null,
    command: null,
    clientReferenceId: null,
    offerId: null,
    reservationRef: null,
  }
  const given = facts({}, {subject: {kind: 'request', id: 'req_1'}, reservations: [], requests: [request]})
  expect(unjudgedIn(given)).toEqual([expect.stringContaining('its answer is not kept')])
  expect(replyResult(given, []).text).not.toContain('no reservation')
  expect(unjudgedIn({...given, requests: [{...request, status: 400}]})).toEqual([])
})
