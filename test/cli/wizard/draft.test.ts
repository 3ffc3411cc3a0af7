/** What flags, file and settings say already, so that the wizard asks for the rest alone. */
import {expect, test} from 'vitest'
import {readDraft} from '../../../src/cli/features/wizard/draft.js'
import {CONTACT} from '../../support/stay.js'

test('a whole contact of the settings is not asked for again, and a flag changes a part of it', async () => {
  const preferred = {contact: CONTACT}
  expect((await readDraft('off_1', {preferred}, '2030-01-01'))?.contact).toEqual(CONTACT)
  const flags = {preferred, contact: {email: 'b@example.com'}}
  expect((await readDraft('off_1', flags, '2030-01-01'))?.contact).toMatchObject({
    name: 'Ayşe',
    email: 'b@example.com',
  })
})

test('a part of one is not enough, and nothing is made up beside it', async () => {
  const preferred = {contact: {email: CONTACT.email, name: 'Fatma'}}
  expect(await readDraft('off_1', {preferred}, '2030-01-01')).toMatchObject({
    contact: undefined,
    contactFields: preferred.contact,
  })
  const flags = {
    preferred,
    contact: {email: 'me@example.com'},
    guest: [{name: 'A', surname: 'B'}],
    pay: 'account',
  }
  expect(await readDraft('off_1', flags, '2030-01-01')).toMatchObject({
    contact: undefined,
    contactFields: {email: 'me@example.com', name: 'Fatma'},
  })
  const whole = {preferred, contact: {surname: 'Öğüt', phone_country_code: '+90', phone_number: '5321234567'}}
  expect((await readDraft('off_1', whole, '2030-01-01'))?.contact).toEqual({...CONTACT, name: 'Fatma'})
})

test('a wrong part of one is refused at once', async () => {
  const wrong = readDraft('off_1', {contact: {email: 'nobody'}}, '2030-01-01')
  await expect(wrong).rejects.toThrow('contact.email')
})

const HANS = {
  name: 'Hans',
  surname: 'Schmidt',
  birth_date: '1990-02-03',
  gender: 'MALE',
  identity: {type: 'PASSPORT', number: 'U1'},
}

test('a guest of --guest has the nationality typed, or none yet', async () => {
  const draft = await readDraft('off_1', {guest: [HANS, {...HANS, nationality: 'FR'}]}, '2026-11-21')
  expect(draft?.guests?.map(guest => guest.nationality)).toEqual([undefined, 'FR'])
  expect(draft?.nationality).toBeUndefined()
})
