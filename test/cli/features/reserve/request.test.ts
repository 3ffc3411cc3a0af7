/** What is typed for `reserve`, in flags and in a file, and the request that results. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import type {ReserveFlags} from '../../../../src/cli/features/reserve/flags.js'
import {completeRequest, mistakesIn, readTyped} from '../../../../src/cli/features/reserve/request.js'
import {combined} from '../../../../src/cli/input/usage-errors.js'
import {ownDirectory} from '../../../support/own.js'
import {CONTACT} from '../../../support/stay.js'
import {rejectionOf} from '../../../support/thrown.js'

let directory: string
beforeEach(() => {
  directory = ownDirectory()
})

const FLAGS = {pay: 'account', guest: [{name: 'Ayşe', surname: 'Öğüt'}], contact: CONTACT}
const ONE = {name: 'A', surname: 'B'}
const KNOWN = {nationality: 'TR', baseUrl: 'https://x/v1'}
async function readReservation(
  offerId: string | undefined,
  input: Record<string, unknown>,
  flags: ReserveFlags,
  known: Parameters<typeof completeRequest>[1],
) {
  const typed = await readTyped(offerId, flags, {input, day: '2030-06-01'})
  const mistakes = mistakesIn(typed)
  if (mistakes.length > 0) throw combined(mistakes)
  return completeRequest(typed, known)
}
const readFile = (path: string) => readTyped(undefined, {input: path})
const fileWith = (text: string) => {
  const path = join(directory, 'input.json')
  writeFileSync(path, text)
  return path
}

test('derives the reference from the request', async () => {
  const first = await readReservation('off_1', {}, FLAGS, KNOWN)
  expect(first.client_reference_id).toMatch(/^bk2-[\da-f]{20}$/)
  expect(await readReservation('off_1', {}, FLAGS, KNOWN)).toEqual(first)
  const other = await readReservation('off_1', {}, {...FLAGS, pay: 'instant'}, KNOWN)
  expect(other.client_reference_id).not.toBe(first.client_reference_id)
  const elsewhere = await readReservation('off_1', {}, FLAGS, {...KNOWN, baseUrl: 'https://y/v1'})
  expect(elsewhere.client_reference_id).not.toBe(first.client_reference_id)
})

test('the derived reference of a request stays the same over all versions, whatever the order of its keys', async () => {
  const {client_reference_id} = await readReservation('off_1', {}, FLAGS, KNOWN)
  expect(client_reference_id).toBe('bk2-001634cf41d3c9485147')
  const input = {
    payment: {mode: 'account'},
    guests: [{surname: 'Öğüt', name: 'Ayşe', is_lead: true, nationality: 'TR', type: 'ADULT'}],
  }
  const turned = Object.fromEntries(Object.entries(CONTACT).reverse()) as typeof CONTACT
  const read = await readReservation('off_1', {contact: turned, ...input}, {}, KNOWN)
  expect(read.client_reference_id).toBe(client_reference_id)
  const names = {localhost: 'http://localhost:1/v1', number: 'http://127.0.0.1:1/v1'}
  const [one, other] = await Promise.all(
    Object.values(names).map(baseUrl => readReservation('off_1', {}, FLAGS, {...KNOWN, baseUrl})),
  )
  expect(one).toEqual(other)
})

test('refuses - as a reference, in a flag and in a file', async () => {
  const refused = {
    details: {code: 'invalid_input'},
    message: expect.stringContaining('not "-"'),
  }
  for (const [input, more] of [
    [{}, {'client-reference': '-'}],
    [{client_reference_id: '-'}, {}],
  ] as const)
    await expect(readReservation('off_1', input, {...FLAGS, ...more}, KNOWN)).rejects.toMatchObject(refused)
})

test('derives the reference with the key of a shared store, so that it cannot be computed without it', async () => {
  const plain = await readReservation('off_1', {}, FLAGS, KNOWN)
  const keyed = await readReservation('off_1', {}, FLAGS, {...KNOWN, referenceKey: 'sk_test_a'})
  expect(keyed.client_reference_id).toMatch(/^bk2-[\da-f]{20}$/)
  expect(keyed.client_reference_id).not.toBe(plain.client_reference_id)
  expect(await readReservation('off_1', {}, FLAGS, {...KNOWN, referenceKey: 'sk_test_a'})).toEqual(keyed)
  const other = await readReservation('off_1', {}, FLAGS, {...KNOWN, referenceKey: 'sk_test_b'})
  expect(other.client_reference_id).not.toBe(keyed.client_reference_id)
})

test('guests take the nationality of the client unless they have their own', async () => {
  const guest = [...FLAGS.guest, {name: 'C', surname: 'D', nationality: 'DE'}]
  const request = await readReservation('off_1', {}, {...FLAGS, guest}, KNOWN)
  expect(request.guests.map(one => one.nationality)).toEqual(['TR', 'DE'])
})

test('flags win over the file, and the contact is completed', async () => {
  const input = {
    client_reference_id: 'FILE',
    client_nationality: 'DE',
    payment: {mode: 'instant'},
    contact: {...CONTACT, name: 'X'},
    guests: [{name: 'F', surname: 'G'}],
  }
  const flags = {pay: 'account', contact: {name: 'Z'}, 'client-reference': 'FLAG'}
  const request = await readReservation('off_1', input, flags, KNOWN)
  expect(request).toMatchObject({
    client_reference_id: 'FLAG',
    client_nationality: 'DE',
    payment: {mode: 'account'},
  })
  expect(request.contact).toEqual({...input.contact, name: 'Z'})
  expect(request.guests).toEqual([{type: 'ADULT', name: 'F', surname: 'G', is_lead: true}])
})

test.each([
  ['{"offer_id": "off_1",}', 'line 1, column 22'],
  ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3'],
  ['', 'line 1, column 1'],
  ['{"secret": "sk_test_x', 'line 1, column 12'],
])('broken JSON %j is placed at %s', async (text, place) => {
  const failure = await rejectionOf(readFile(fileWith(text)))
  expect(failure.message).toContain(place)
  expect(failure.message).toContain('--input')
  expect(failure.message).not.toContain('sk_test')
})

test('reads a file of 4 MiB, and not one byte more', async () => {
  const spaces = ' '.repeat(4 * 1024 * 1024 - 2)
  expect((await readFile(fileWith(`{}${spaces}`))).request).toEqual({})
  expect((await rejectionOf(readFile(fileWith(`{}${spaces} `)))).message).toContain('4 MiB')
})

test('refuses a missing file, a list, and bytes that are not text', async () => {
  expect((await rejectionOf(readFile(join(directory, 'none')))).message).toContain('(no such file)')
  expect((await rejectionOf(readFile(fileWith('[]')))).message).toContain('--input')
  const path = join(directory, 'bytes')
  writeFileSync(path, Buffer.from([0x22, 0xff, 0x22]))
  expect((await rejectionOf(readFile(path))).message).toContain('UTF-8')
})

test.each<[string, Record<string, unknown>, object]>([
  ['guests[0].colour', {guests: [{name: 'A', surname: 'B', colour: 'red'}]}, {guest: undefined}],
  ['contact.email', {}, {contact: {...FLAGS.contact, email: 'nobody'}}],
  ['guests[0].birth_date', {}, {guest: [{...ONE, birth_date: '2001-02-29'}]}],
  ['guests[0].birth_date: must not be in the future', {}, {guest: [{...ONE, birth_date: '2030-06-03'}]}],
  ['guests[0].nationality', {}, {guest: [{...ONE, nationality: 'XX'}]}],
  ['guests[1].surname', {}, {guest: [{name: 'A', surname: 'B'}, {name: 'C'}]}],
  ['client_reference_id', {}, {'client-reference': 'two words'}],
  ['offer_id', {offer_id: 7}, {}],
  ['client_nationality: must', {client_nationality: 'ZZ'}, {}],
  ['payment.mode: must be account or instant', {payment: {mode: 'cash'}}, {pay: undefined}],
  ['guests: must have at least one guest', {guests: []}, {guest: undefined}],
])('names %s', async (field, input, flags) => {
  const reading = readReservation(undefined, {offer_id: 'off_1', ...input}, {...FLAGS, ...flags}, KNOWN)
  expect((await rejectionOf(reading)).message).toContain(field)
})

test('names the missing fields of incomplete contacts and guests, with the rest', async () => {
  const incomplete = {
    guest: [{name: 'A', surname: 'B'}, {name: 'C'}],
    contact: {name: 'A', surname: 'B', email: 'a@example.com'},
  }
  const lacking = 'guests[1].surname'
  const phone = 'contact.phone_country_code, contact.phone_number'
  const failure = await rejectionOf(readReservation(undefined, {}, incomplete, KNOWN))
  expect(failure.message).toBe(`missing: OFFER_ID, --pay, ${phone}, ${lacking}`)
  const whole = await rejectionOf(readReservation('off_1', {}, {...incomplete, pay: 'account'}, KNOWN))
  expect(whole.message).toBe(`missing: ${phone}, ${lacking}`)
})
