/** The local sandbox accepts a field exactly if the schema in the OpenAPI description accepts it (§2.4). */
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {requestPointer, schemaCheck} from '../support/description.js'
import {ADULT, CONTACT, reservationRequest} from '../support/sandbox.js'
import {sandboxForEachTest} from './each-sandbox.js'

const {faults} = schemaCheck()
const {client} = sandboxForEachTest()

/** Reports whether the sandbox accepts the field. The offer does not exist, so nothing is booked. */
async function takes(field: string, body: object): Promise<boolean> {
  const {status, json} = await client.reserve(body)
  if (status === 404) return true
  expect([status, json.error.code]).toEqual([400, 'validation_failed'])
  expect(json.error.details.map((detail: {field: string}) => detail.field)).toEqual([field])
  return false
}

const contact = (change: object) => ({contact: {...CONTACT, ...change}})
const phone = (field: string) => (value: string) => contact({[field]: value})
const guests = (change: object) => ({guests: [{...ADULT, ...change}, ADULT]})

/** Characters that only some fields accept, including some that only few programs treat as spaces. */
const PIECES = [
  ...'aZ7٣ü東😀-_.+@"/&#() \t\n\r\0\x1c\x7f\x85\xa0\u1680\u180e\u2009\u200b\u2028\u3000\ufeff',
  '\ud800',
]
const piece = fc.oneof(
  {weight: 3, arbitrary: fc.constantFrom(...PIECES)},
  fc.string({unit: 'binary', maxLength: 3}),
)
const typed = (...starts: string[]) =>
  fc
    .tuple(fc.constantFrom('', ...starts), fc.array(piece, {maxLength: 6}))
    .map(([start, pieces]) => start + pieces.join(''))

test.each<[string, fc.Arbitrary<string>, (value: string) => Record<string, unknown>]>([
  ['offer_id', typed('off_', 'off_1', 'OFF_1'), offer_id => ({offer_id})],
  ['client_reference_id', typed('R-1', 'x'.repeat(127), '😀'.repeat(127)), id => ({client_reference_id: id})],
  ['contact.email', typed('a@b', 'ü@münchen.de', 'a&b', '@', 'a@b@'), email => contact({email})],
  ['contact.phone_number', typed('532', '532 123', '(0532)', '5'.repeat(14)), phone('phone_number')],
  ['contact.phone_country_code', typed('+9', '+1 24', '+1-24', '90'), phone('phone_country_code')],
  ['contact.surname', typed(), surname => contact({surname})],
  ['guests[0].nationality', typed('T', 'TR', 'tr'), nationality => guests({nationality})],
])('takes %s exactly when the description does', async (field, values, change) => {
  const seen = {taken: 0, refused: 0}
  await fc.assert(
    fc.asyncProperty(values, async value => {
      const body = reservationRequest('off_1', change(value))
      const isTaken = await takes(field, body)
      expect(faults(requestPointer('reservations.create'), body).length === 0).toBe(isTaken)
      seen[isTaken ? 'taken' : 'refused']++
    }),
    {numRuns: 120},
  )
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(0)
})
