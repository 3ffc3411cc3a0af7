/** The wizard asks only for values that flags, the input file and settings do not provide. */
import {expect, test} from 'vitest'
import type {ReserveFlags} from '../../../../src/cli/features/reserve/flags.js'
import {readTyped} from '../../../../src/cli/features/reserve/request.js'
import {readDraft} from '../../../../src/cli/features/wizard/draft.js'
import {CONTACT} from '../../../support/stay.js'
import {LEAD} from './desk.js'

const read = async (flags: ReserveFlags) => readDraft(await readTyped('off_1', flags))

test('a whole contact of the settings is not asked for again, and a flag changes a part of it', async () => {
  const preferred = {contact: CONTACT}
  expect((await read({preferred}))?.contact).toEqual(CONTACT)
  const email = 'b@example.com'
  expect((await read({preferred, contact: {email}}))?.contact).toEqual({...CONTACT, email})
})

test('a contact of which fields are missing is asked for, and its other fields are kept', async () => {
  const preferred = {contact: {email: CONTACT.email, name: 'Fatma'}}
  const guest = [{name: 'A', surname: 'B'}]
  for (const contact of [{}, {email: 'me@example.com'}])
    expect(await read({preferred, contact, guest, pay: 'account'})).toMatchObject({
      contact: undefined,
      contactFields: {...preferred.contact, ...contact},
    })
  const rest = {surname: 'Öğüt', phone_country_code: '+90', phone_number: '5321234567'}
  expect((await read({preferred, contact: rest}))?.contact).toEqual({...CONTACT, name: 'Fatma'})
})

test('a wrong part of one is refused at once', async () => {
  await expect(read({contact: {email: 'nobody'}})).rejects.toThrow('contact.email')
})

test('missing fields of a guest are asked for only if the name is incomplete', async () => {
  const guest = [
    {name: 'A'},
    {name: 'B', surname: 'C'},
    {surname: 'D', type: 'CHILD', birth_date: '2023-01-01'},
  ]
  const draft = await read({guest})
  expect(draft?.guests).toBeUndefined()
  expect(draft?.forms).toEqual([
    {name: 'A'},
    {name: 'B', surname: 'C', birth_date: '', gender: '', nationality: '', identity: null},
    {surname: 'D', birth_date: '2023-01-01'},
  ])
  expect(draft?.places?.map(({label, type, isLead}) => ({label, type, isLead}))).toEqual([
    {label: 'A', type: 'ADULT', isLead: true},
    {label: 'B C', type: 'ADULT', isLead: false},
    {label: 'D', type: 'CHILD', isLead: false},
  ])
})

test('a wrong part of a guest is refused at once, also where more is missing', async () => {
  await expect(read({guest: [{name: 'A', nationality: 'XQ'}]})).rejects.toThrow('guests[0].nationality')
})

test('a guest of --guest has the nationality typed, or none yet', async () => {
  const draft = await read({guest: [LEAD, {...LEAD, nationality: 'FR'}]})
  expect(draft?.guests?.map(guest => guest.nationality)).toEqual([undefined, 'FR'])
  expect(draft?.nationality).toBeUndefined()
})
