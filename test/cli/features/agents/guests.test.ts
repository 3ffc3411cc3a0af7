/** The guests that an agent names, against the rooms that were searched. */
import {expect, test} from 'vitest'
import {faultsOfGuests, withLead} from '../../../../src/cli/features/agents/guests.js'
import type {Guest} from '../../../../src/contract/reservations.js'

/** Two adults and a child of 4, who may be 5 at check-out. */
const SEARCHED = {
  rooms: [{adults: 2, children_ages: [4]}],
  check_in: '2030-06-10',
  check_out: '2030-06-14',
}
const guest = (type: string, more: Partial<Guest> = {}): Guest => ({
  type,
  name: 'Ece',
  surname: 'Öğüt',
  is_lead: false,
  ...more,
})
const lead = guest('ADULT', {is_lead: true, birth_date: '1990-02-03'})
const adult = guest('ADULT', {birth_date: '1988-07-12'})
const child = (birth_date?: string) => guest('CHILD', birth_date === undefined ? {} : {birth_date})
const identity = (type: string, number: string) => ({identity: {type, number}})

test.each<[name: string, guests: Guest[]]>([
  ['as searched', [lead, adult, child('2026-03-01')]],
  ['in another order', [child('2026-03-01'), adult, lead]],
  ['of that age at check-out only', [lead, adult, child('2025-06-12')]],
  ['without birth dates', [guest('ADULT', {is_lead: true}), guest('adult'), child()]],
  ['of a type of the service', [lead, adult, guest('INFANT')]],
  ['with a right number', [{...lead, ...identity('TC', '10000000146')}, adult, child()]],
  ['with a passport', [{...lead, ...identity('PASSPORT', '1')}, adult, child()]],
])('guests %s have no fault', (_, guests) => {
  expect(faultsOfGuests(SEARCHED, guests)).toEqual([])
})

test.each<[text: string, guests: Guest[]]>([
  ['searched for 2 adults and 1 child, not for 1 guest, 0 children', [lead]],
  ['searched for 2 adults and 1 child, not for 4 guests', [lead, adult, adult, child()]],
  ['not for 3 guests, 3 children', [{...child(), is_lead: true}, child(), child()]],
  ['not for 3 guests, 0 children', [lead, adult, guest('ADULT')]],
  ['exactly one must have is_lead, not 3', [lead, {...adult, is_lead: true}, {...child(), is_lead: true}]],
  ['exactly one must have is_lead, not 0', [adult, adult, child()]],
  ['the lead guest must be an adult', [adult, adult, {...child(), is_lead: true}]],
  ['guests[2]: Ece Öğüt is 40 at check-in', [lead, adult, child('1990-02-03')]],
  ['searched for children of 4', [lead, adult, child('2024-01-01')]],
  ['is 4 at check-in, and is named as an adult', [lead, {...adult, birth_date: '2026-03-01'}, child()]],
  ['guests[1].identity.number', [lead, {...adult, ...identity('TC', '10000000147')}, child()]],
])('%s', (text, guests) => {
  const faults = faultsOfGuests(SEARCHED, guests)
  expect(faults.map(({message}) => message).join('\n')).toContain(text)
  for (const fault of faults)
    expect(fault).toMatchObject({kind: 'usage', details: {hint: expect.any(String)}})
})

test('two children must fit two ages, not one of them twice', () => {
  const searched = {
    ...SEARCHED,
    rooms: [
      {adults: 1, children_ages: [9]},
      {adults: 1, children_ages: [4]},
    ],
  }
  const [four, five, nine] = [child('2026-03-01'), child('2025-06-12'), child('2021-01-01')]
  expect(faultsOfGuests(searched, [lead, adult, nine, four])).toEqual([])
  expect(faultsOfGuests(searched, [lead, adult, four, child()])).toEqual([])
  expect(faultsOfGuests(searched, [lead, adult, four, five])).toEqual([
    expect.objectContaining({message: expect.stringContaining('do not fit the ages searched: 4, 9')}),
  ])
})

test('the first adult leads unless another guest does', () => {
  const leads = (guests: object[]) => (withLead(guests) as Guest[]).map(({is_lead}) => is_lead)
  expect(leads([{type: 'CHILD'}, {type: 'ADULT'}, {type: 'ADULT'}])).toEqual([undefined, true, undefined])
  expect(leads([{type: 'ADULT'}, {type: 'ADULT', is_lead: true}])).toEqual([undefined, true])
  expect(leads([{type: 'ADULT', is_lead: false}])).toEqual([false])
})
