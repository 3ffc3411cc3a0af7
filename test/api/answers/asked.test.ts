/** Which reservation an answer is about, in every form in which services name it. */
import {expect, test} from 'vitest'
import {findAsked} from '../../../src/api/answers/asked.js'
import {showReservation} from '../../../src/api/operations/reservations.js'
import type {Api} from '../../../src/api/types.js'

const asked = {client_reference_id: 'TRIP-7', offer_id: 'off_1'}
const R = {reservation_ref: 'R-1'}
const OURS = {...R, client_reference_id: 'TRIP-7'}
const THEIRS = {...R, client_reference_id: 'X'}

test.each<[string, object]>([
  ['nothing repeated', R],
  ['the same', {...R, ...asked}],
  ['null and empty', {...R, client_reference_id: null, offer_id: ''}],
  ['around it', {data: {...asked, reservation: R}}],
  ['beside it', {data: {reservation: R, request: asked}}],
  ['an offer with a number of its own', {...R, offer: {id: 17, name: 'Flexible'}}],
  ['other offers listed in it', {...R, alternatives: [{offer_id: 'off_2'}], offers: [{offer_id: 'off_3'}]}],
  ['another offer under a name of its own', {...R, upsell: {offer_id: 'off_2'}}],
  ['a reference of its own, and another around', {client_reference_id: 'X', data: {...R, ...asked}}],
  ['beside a previous one that is first', {previous_reservation: {reservation_ref: 'R-0'}, reservation: R}],
  ['beside one it replaces', {data: R, replaces: {reservation_ref: 'R-0', client_reference_id: 'X'}}],
  ['twice', {reservation: R, payment: {reservation_ref: 'r-1', url: 'https://pay.example/'}}],
  ["the partner's own code", {...R, partnerReference: 'ACME', partner: {client_reference: 'ACME'}}],
  ['ours, in a cart with an offer of its own', {...OURS, order: {offer_id: 'off_cart'}}],
])('takes the answer as the booking asked for: %s', (_, json) => {
  expect(findAsked(json, asked)).toMatchObject({kind: 'found', found: {reservation_ref: 'R-1'}})
})

test.each<[string, object, string[]]>([
  ['both', {...R, client_reference_id: 'X', offer_id: 'off_2'}, ['client_reference_id X', 'offer_id off_2']],
  ['the reference alone', {...R, client_reference_id: 'X', offer_id: 'off_1'}, ['client_reference_id X']],
  ['the offer alone', {...R, client_reference_id: 'TRIP-7', offer_id: 'off_2'}, ['offer_id off_2']],
  ['in an envelope', {data: {booking: {...R, attributes: {offerId: 'off_2'}}}}, ['offer_id off_2']],
  ['around it', {data: {client_reference_id: 'X', reservation: R}}, ['client_reference_id X']],
  ['an offer with its id', {...R, offer: {id: 'off_2', name: 'Flexible'}}, ['offer_id off_2']],
  ['beside a silent one', [THEIRS, {reservation_ref: 'R-2'}], ['client_reference_id X']],
  ['an offer beside our reference', {...OURS, offer: {offer_id: 'off_2'}}, ['offer_id off_2']],
  ['a number', {...R, client_reference_id: 12}, ['client_reference_id 12']],
  ['several', ['off_2', 'off_3'].map(offer_id => ({...R, offer_id})), ['offer_id off_2']],
])('takes the answer as another booking: %s', (_, json, theirs) => {
  const found = findAsked(json, asked)
  expect(found.kind).toBe('another')
  const differences = found.kind === 'another' ? found.differences : []
  expect(differences.map(each => `${each.name} ${each.answered}`)).toEqual(theirs)
})

test('of several bookings takes the one that names our reference, and none without a reference', () => {
  const other = {reservation_ref: 'R-2', client_reference_id: 'X'}
  const silent = {reservation_ref: 'R-3'}
  const ours = {...R, ...asked}
  const refIn = (json: object) => {
    const found = findAsked(json, asked)
    return found.kind === 'found' ? found.found.reservation_ref : found.kind
  }
  expect(refIn([other, silent, ours])).toBe('R-1')
  expect(refIn({data: {older: other, booking: silent}})).toBe('R-3')
  expect(refIn([other, silent])).toBe('another')
  expect(refIn({reservations: [R, silent]})).toBe('unclear')
  expect(refIn([other])).toBe('another')
  expect(refIn({message: 'done'})).toBe('none')
})

test.each([
  ['7', 7],
  ['007', 7],
  ['12345678901234567890', JSON.parse('12345678901234567890')],
])('%s and the number %s are the same reference', (ours, theirs) => {
  const json = {...R, client_reference_id: theirs}
  expect(findAsked(json, {client_reference_id: ours}).kind).toBe('found')
  expect(findAsked(json, {client_reference_id: `${ours}1`}).kind).toBe('another')
})

test('compares references in composed and decomposed Unicode alike', () => {
  const json = {...R, client_reference_id: 'Ö-1'.normalize('NFD')}
  expect(findAsked(json, {client_reference_id: 'Ö-1'.normalize('NFC')}).kind).toBe('found')
})

test('refuses a reservation whose client reference is not the one asked for', async () => {
  const json = {data: {...R, client_reference_id: 'X'}}
  const api = {call: async () => ({json, status: 200, headers: {}})} as unknown as Api
  expect(await showReservation(api, 'R-1')).toMatchObject({reservation_ref: 'R-1'})
  await expect(showReservation(api, 'R-1', {booking: asked})).rejects.toMatchObject({
    kind: 'service_failed',
    message: 'the service answered about another client reference, X in place of TRIP-7',
    details: {code: 'another_client_reference'},
  })
})
