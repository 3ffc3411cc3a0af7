/**
 * Cancelling and changing a reservation: the fee is shown first, nothing is sent twice, and a lost answer is never called a
 * failure.
 */
import {beforeEach, expect, test} from 'vitest'
import type {Home} from '../support/bookctl.js'
import {eventually} from '../support/eventually.js'
import {ownHome} from '../support/own.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {GUESTS, offerIn, reservationIn} from '../support/stay.js'
import {atTerminal} from '../support/terminal.js'

const sandbox = await sandboxOfFile()
let home: Home
beforeEach(() => {
  home = ownHome(sandbox.env)
})

const reserve = async () => reservationIn(home, 'account', await offerIn(home, '--refundable'))

const sent = async (path: RegExp) => (await sandbox.requests()).filter(line => path.test(line))

async function statusOf(ref: string): Promise<string> {
  return (await home.run(['reservations', 'show', ref, '--query', 'reservation.status'])).stdout.trim()
}

const eventsOf = async (ref: string) =>
  (await sandbox.listed('events')).filter(event => event.data.reservation_ref === ref)

interface Done {
  readonly outcome: string
  readonly reservation: {status: string; cancellation: {reason: string}}
  readonly fee: {amount: string; currency: string}
  readonly quote: {fee: {amount: string}}
}

test('without --yes the fee is printed and nothing is cancelled; with it, it is, once', async () => {
  const ref = await reserve()
  const asked = await home.json<Done>(['reservations', 'cancel', ref])
  expect(asked).toMatchObject({exit: 2, result: {error: {code: 'confirmation_needed'}}})
  expect(asked.result.quote.fee).toEqual({amount: '0.00', currency: 'EUR'})
  expect(asked.stderr).toMatch(/Cancellation free until 2030-05-\d\d 18:00 \(UTC\+03:00\)/)
  expect(asked.stderr).toMatch(/Fee now {6}0\.00 EUR\nRefund {7}\d+\.\d\d EUR/)
  expect(asked.stderr).toMatch(/Lead guest {3}Ayşe Öğüt\nGuests {7}\d\nHotel {8}\S.*\nRoom {9}\S/)
  expect(asked.stderr).toMatch(/Dates {8}2030-06-01 to 2030-06-04\nPrice {8}\d+\.\d\d EUR/)
  expect(await statusOf(ref)).toBe('CONFIRMED')

  const done = await home.json<Done>(['reservations', 'cancel', ref, '--yes', '--reason', 'plans changed'])
  expect(done.exit).toBe(0)
  expect(Object.keys(done.result)).toEqual(['outcome', 'reservation', 'fee', 'refund', 'quote'])
  expect(done.result).toMatchObject({
    outcome: 'cancelled',
    reservation: {status: 'CANCELLED', cancellation: {reason: 'plans changed'}},
    fee: {amount: '0.00', currency: 'EUR'},
  })
  expect(await eventsOf(ref)).toContainEqual(
    expect.objectContaining({
      type: 'reservation.cancelled',
      data: expect.objectContaining({reason: 'plans changed', fee: '0.00', currency: 'EUR'}),
    }),
  )
  const again = await home.refusal(['reservations', 'cancel', ref, '--yes'])
  expect(again).toMatchObject({exit: 5, code: 'already_cancelled'})
  expect(again.hint).toContain('earlier attempt whose answer was lost, or by another person')
  expect((await sent(/POST .*\/cancel$/)).filter(line => line.includes(ref))).toHaveLength(1)
})

test('--dry-run shows the fee and the request, and sends nothing that changes', async () => {
  const ref = await reserve()
  const before = (await sandbox.requests()).length
  const dryRun = (...more: string[]) =>
    home.json<Done & {fee_unknown?: string}>(['reservations', 'cancel', ref, '--dry-run', ...more])
  const shown = await dryRun('--reason', 'x')
  expect(shown).toMatchObject({exit: 0, result: {method: 'POST', body: {reason: 'x'}}})
  expect(shown.result.quote.fee).toEqual({amount: '0.00', currency: 'EUR'})
  expect(shown.stderr).toMatch(/Lead guest {3}Ayşe Öğüt.*Fee now {6}0\.00 EUR/s)
  expect((await sandbox.requests()).slice(before).filter(line => !/^GET |oauth/.test(line))).toEqual([])
  expect(await statusOf(ref)).toBe('CONFIRMED')
  // The request is shown even if the fee is unknown.
  await sandbox.fault({operation: 'reservations.quote', kind: 'status', status: 404})
  const unknown = await dryRun()
  expect(unknown).toMatchObject({exit: 0, result: {method: 'POST', quote: null}})
  expect(unknown.result.fee_unknown).toContain('injected fault')
  expect(unknown.stderr).toContain('Fee now      not known: ')
  await home.run(['reservations', 'cancel', ref, '--yes'])
})

test('an update changes the given fields, and an invalid one is refused before anything is sent', async () => {
  const ref = await reserve()
  const update = ['reservations', 'update', ref]
  const email = ['--contact', 'email=new@example.com']
  const done = await home.json<{reservation: {contact: object}}>([...update, ...email])
  expect(done.exit).toBe(0)
  expect(done.result.reservation.contact).toMatchObject({email: 'new@example.com', name: 'Ayşe'})
  const {stdout} = await home.run([...update, ...email, '--format', 'table'])
  expect(stdout).toMatch(/contact: +Ayşe Öğüt new@example.com \+90.*changed: +contact \(email\)/s)
  const [event] = (await eventsOf(ref)).filter(({type}) => type === 'reservation.updated')
  const change = {field: 'contact.email', old: 'ayse@example.com', new: 'new@example.com'}
  expect(event?.data.changes).toEqual([change])
  expect(await home.refusal(update)).toMatchObject({exit: 2, code: 'missing_flag'})
  const input = {guests: [{name: 'A', surname: 'B'}], contact: {email: 'file@example.com'}}
  const flags = ['--input', '-', '--contact', 'email=flag@example.com', '--dry-run']
  const dry = await home.json<{body: object}>([...update, ...flags], {stdin: JSON.stringify(input)})
  expect(dry.result.body).toEqual({
    contact: {email: 'flag@example.com'},
    guests: [{type: 'ADULT', name: 'A', surname: 'B', is_lead: true}],
  })
})

test('asks at a terminal; after a no or Ctrl-C, nothing is cancelled', async () => {
  const ref = await reserve()
  const answer = async (key: string) => {
    const run = atTerminal(home, ['reservations', 'cancel', ref])
    await run.waitFor('Cancel this reservation?')
    run.type(key)
    run.press('enter')
    const exit = await run.exit
    expect(run.screen()).not.toContain('Error:')
    return [exit, /^Not confirmed; nothing was cancelled\.$/m.test(run.screen()), await statusOf(ref)]
  }
  expect(await answer('n')).toEqual([2, true, 'CONFIRMED'])
  const stopped = atTerminal(home, ['reservations', 'cancel', ref])
  await stopped.waitFor('Cancel this reservation?')
  stopped.press('ctrl-c')
  expect([await stopped.exit, await statusOf(ref)]).toEqual([130, 'CONFIRMED'])
  expect(stopped.screen()).toContain('stopped; nothing was cancelled')
  expect(await answer('y')).toEqual([0, false, 'CANCELLED'])
})

test('without a reference it offers those of the service with guest, hotel and dates, narrowed by what is typed', async () => {
  const [ref, other] = [await reserve(), await reserve()]
  // Another machine, on which nothing was booked.
  const run = atTerminal(ownHome(sandbox.env), ['reservations', 'cancel'], {columns: 120})
  await run.waitFor('Other (type it)')
  expect(run.screen()).toMatch(new RegExp(`${ref} +Ayşe Öğüt, .+, 2030-06-01 to 2030-06-04, confirmed`))
  expect(run.screen()).toContain(other)
  run.type(`ogut ${ref.slice(-4).toLowerCase()}`)
  await eventually(() => expect(run.screen()).not.toContain(other))
  expect(run.screen()).toContain(ref)
  run.press('enter')
  await run.waitFor('Cancel this reservation?')
  expect(run.screen()).toContain(`Reservation  ${ref}`)
  run.press('enter')
  expect(await run.exit).toBe(2)
})

test('a reservation that was cancelled is no longer reported as confirmed, and frees its reference', async () => {
  const [offer, other] = [await offerIn(home, '--refundable'), await offerIn(home)]
  const argv = (id: string) => ['reserve', id, ...GUESTS, '--pay', 'account', '--client-reference', 'C-9']
  const made = await home.json<{reservation: {reservation_ref: string}}>(argv(offer))
  expect(made).toMatchObject({exit: 0, result: {outcome: 'confirmed'}})
  const dryRun = (id: string) => home.refusal([...argv(id), '--dry-run'])
  expect(await dryRun(offer)).toMatchObject({exit: 2, code: 'outcome_known'})
  expect(await dryRun(other)).toMatchObject({exit: 2, code: 'reference_in_use'})
  const ref = made.result.reservation.reservation_ref
  expect(await home.run(['reservations', 'cancel', ref, '--yes'])).toMatchObject({exit: 0})
  const result = {outcome: 'cancelled', reservation: {reservation_ref: ref, status: 'CANCELLED'}}
  for (const again of [argv(offer), ['reserve', '--resume', 'C-9']])
    expect(await home.json(again)).toMatchObject({exit: 5, result})
  const waiting = await home.json(['reserve', '--resume', 'C-9', '--wait'])
  expect(waiting).toMatchObject({exit: 5, result: {error: {code: 'not_confirmed'}, outcome: 'cancelled'}})
  expect(await home.json([...argv(other), '--dry-run'])).toMatchObject({exit: 0})
})
