/** The questions for guests and contact, whose answers are checked at once. */
import {describe, expect, test} from 'vitest'
import {askContact, askGuests, placesOf} from '../../../../src/cli/features/wizard/ask-people.js'
import {askPayment, isTooLittle} from '../../../../src/cli/features/wizard/book.js'
import {Draft, type GuestForm} from '../../../../src/cli/features/wizard/draft.js'
import {createPhoneReader} from '../../../../src/cli/input/guests.js'
import type {ChoiceQuestion, Prompts} from '../../../../src/cli/terminal/prompts/prompts.js'
import {withWayBack} from '../../../../src/cli/terminal/prompts/way-back.js'
import type {OfferFound} from '../../../../src/contract/seen-offers.js'
import type {KeptGuest, People} from '../../../../src/state/people-store.js'
import {stateForEachTest} from '../../../support/own-state.js'
import {CONTACT} from '../../../support/stay.js'
import {rejectionOf, thrownBy} from '../../../support/thrown.js'
import {type Line, said, scriptedPrompts} from './scripted-prompts.js'

const KNOWN = {checkIn: '2030-06-01', today: '2030-05-01', nationality: 'TR', people: undefined}
const ROOMS = [
  {adults: 1, children_ages: [7]},
  {adults: 2, children_ages: []},
]

test('places follow the rooms, adults before children, and the first leads', () => {
  expect(placesOf(ROOMS).map(({label, isLead}) => [label, isLead])).toEqual([
    ['Room 1, adult (leads)', true],
    ['Room 1, child (aged 7)', false],
    ['Room 2, adult 1', false],
    ['Room 2, adult 2', false],
  ])
})

const AYSE = said`first name → Ayşe | family name → Öğüt | birth date → 1990-02-03 | gender → Female
  nationality → turkiye | document → TC | TC number → 10000000146`
const guest = (change: object = {}) => ({
  type: 'ADULT',
  name: 'Ayşe',
  surname: 'Öğüt',
  birth_date: '1990-02-03',
  gender: 'FEMALE',
  nationality: 'TR',
  identity: {type: 'TC', number: '10000000146'},
  is_lead: true,
  ...change,
})

async function ask(script: readonly Line[], rooms = [{adults: 1, children_ages: [] as number[]}]) {
  const prompts = scriptedPrompts(script)
  const guests = await askGuests({...KNOWN, prompts}, placesOf(rooms), [])
  return {guests, log: prompts.log}
}

describe('a guest', () => {
  test('is complete when every answer is right', async () => {
    const {guests, log} = await ask(AYSE)
    expect(guests).toEqual([guest()])
    expect(log).toContain('hint: Sat 1990-02-03, 40 years old at check-in')
    expect(log).toContain('hint: valid')
  })

  test('needs a name without digits, and a birth date that exists, is past and fits the age', async () => {
    const {guests, log} = await ask([
      ...said`first name → Ay5e | Ay5e contains digits. Keep it as a name? → no
        first name → Ayşe😀 | Ayşe😀 contains symbols. Keep it as a name? → no`,
      ...AYSE.slice(0, 2),
      ...said`birth date → 1990-02-30 | birth date → 2030-05-03 | birth date → 1800-01-01
        birth date → 2029-01-01
        The guest is 1 at check-in, but the room was searched for an adult → no`,
      ...AYSE.slice(2),
    ])
    expect(guests).toEqual([guest()])
    expect(log).toContain('hint: Mon 2029-01-01, 1 year old at check-in')
    expect(log.filter(line => line.startsWith('refused')).length).toBe(3)
    expect(log.join()).not.toContain('tomorrow')
  })

  test('says that hotels read Latin letters if the name has others, and accepts them', async () => {
    const {guests, log} = await ask([
      ...said`first name → 小明 | family name → Wáng | birth date → 1990-02-03`,
      ...AYSE.slice(3),
    ])
    expect(guests).toEqual([guest({name: '小明', surname: 'Wáng'})])
    expect(log.filter(line => line === 'hint: hotels read the Latin letters of the passport')).toHaveLength(1)
  })

  test('whose name could not be seen is refused, but for the joiners of its script and of emoji', async () => {
    const {guests, log} = await ask([
      ['first name', 'A\u202eyşe'],
      ['first name', 'A\u200byşe'],
      ['first name', 'علی\u200cرضا'],
      ['family name', '👩\u200d👩\u200d👧'],
      ...said`contains symbols. Keep it as a name? → yes`,
      ...AYSE.slice(2),
    ])
    expect(guests).toEqual([guest({name: 'علی\u200cرضا', surname: '👩\u200d👩\u200d👧'})])
    expect(log.filter(line => line === 'refused: must not contain invisible characters')).toHaveLength(2)
  })

  test('a child whose age differs from the search, kept', async () => {
    const child: Line[] = said`Child (aged 7): first name → Ece | family name → Öğüt | birth date → 2022-06-01
      The guest is 8 at check-in, but the room was searched for a child of 7 → yes | gender → Female
      nationality → TR | document → None`
    const {guests} = await ask([...AYSE, ...child], [{adults: 1, children_ages: [7]}])
    const {identity: _, ...ece} = guest({
      type: 'CHILD',
      name: 'Ece',
      birth_date: '2022-06-01',
      is_lead: false,
    })
    expect(guests[1]).toEqual(ece)
  })

  test('reports a TC number that fails its checksum at once, and accepts it only if confirmed', async () => {
    const {guests, log} = await ask([
      ...AYSE.slice(0, 6),
      ...said`TC number → U1234567 | TC number → | TC number → 10000000147 | The checksum of this TC number is wrong → no
        TC number → 100 000 001 47 | The checksum of this TC number is wrong → yes`,
    ])
    expect(guests[0]?.identity).toEqual({type: 'TC', number: '10000000147'})
    expect(log).toContain('hint: not valid: the checksum fails')
    expect(log.filter(line => line.endsWith('a TC number, which has 11 digits'))).toHaveLength(2)
  })

  test('words that the interface does not show pass', async () => {
    const {guests} = await ask([
      ...AYSE.slice(0, 3),
      ...said`gender → Other | as the service writes it → X | nationality → de | document → Another document
        kind of document → SEAMAN_BOOK | number of the document → 77`,
    ])
    const identity = {type: 'SEAMAN_BOOK', number: '77'}
    expect(guests).toEqual([guest({gender: 'X', nationality: 'DE', identity})])
  })
})

describe('stored people', () => {
  const place = stateForEachTest()
  const keep = async (...guests: object[]) => {
    const people = (await place.state.people()).forClient({baseUrl: 'https://a.example', clientId: 'cid_a'})
    people.keep({guests: guests as KeptGuest[]}, 1)
    return people
  }
  const named = (name: string, birth_date?: string) => ({name, surname: 'Öğüt', birth_date})

  test('are offered once each, and removed on request', async () => {
    const {type: _, is_lead: __, ...kept} = guest()
    const people = await keep(kept, named('Can'))
    const prompts = scriptedPrompts([
      ...said`Adult 1 (leads): who is it? → Ayşe Öğüt | Adult 2: who is it? → Remove a guest
        Which guest or contact → Can | Adult 2: first name → ^C`,
    ])
    const places = placesOf([{adults: 2, children_ages: []}])
    const forms: GuestForm[] = []
    await rejectionOf(askGuests({...KNOWN, prompts, people}, places, forms))
    expect(forms[0]).toMatchObject({name: 'Ayşe', identity: {number: '10000000146'}})
    expect(people.guests().map(({details}) => details.name)).toEqual(['Ayşe'])
  })

  /** Returns the choices for the next guest after `picks` were chosen for the guests before. */
  async function offered(people: People, picks: readonly string[]): Promise<string[]> {
    const rest = said`gender → Female | nationality → TR | document → None`
    const before = picks.flatMap(name => [['who is it?', name] as const, ...rest])
    const {log, ...prompts} = scriptedPrompts([...before, ...said`who is it? → Another person | name → ^C`])
    const places = placesOf([{adults: 2, children_ages: [7]}])
    await rejectionOf(askGuests({...KNOWN, prompts, people}, places, []))
    const shown = log.slice(log.findLastIndex(line => line.includes('who is it?')) + 1)
    return shown.slice(0, shown.indexOf(''))
  }

  test('are offered in the order of the booking, those whose age does not fit last', async () => {
    const people = await keep(
      named('Ayşe', '1990-02-03'),
      named('Ece', '2023-01-01'),
      named('Can', '1988-07-12'),
      named('Su'),
    )
    const adult = ['Ayşe Öğüt, born 1990-02-03', 'Can Öğüt, born 1988-07-12', 'Su Öğüt', 'Another person']
    const ece = 'Ece Öğüt, born 2023-01-01'
    const remove = 'Remove a guest stored on this machine'
    expect(await offered(people, [])).toEqual([...adult, `${ece} (age does not match)`, remove])
    const child = await offered(people, ['Ayşe', 'Can'])
    expect(child).toEqual([ece, 'Another person', 'Su Öğüt', remove])
  })

  test('are not preselected if their age does not fit, even if they were chosen before', async () => {
    const asked: ChoiceQuestion<unknown>[] = []
    const prompts = {choose: async (question: ChoiceQuestion<unknown>) => void asked.push(question)}
    const misfit = {value: 'b', name: 'B', isUnlikely: true}
    const who = {message: 'who', choices: [{value: 'a', name: 'A'}, misfit]}
    for (const answer of ['a', 'b']) {
      const answers = new Map([['who', answer]])
      await withWayBack(prompts as never, asked => asked.choose(who), {answers})
    }
    expect(asked.map(question => question.default)).toEqual(['a', undefined])
  })
})

test('a value that the person did not keep is not offered again', async () => {
  const prompts = scriptedPrompts([
    ...AYSE.slice(0, 2),
    ...said`birth date → 2015-01-01 | Keep it? → no | birth date → 1990-02-03`,
    ...AYSE.slice(3, 6),
    ...said`TC number → 10000000147 | Keep it? → no | TC number → 10000000146`,
  ])
  const usual: unknown[] = []
  const watched: Prompts = {
    ...prompts,
    text(question) {
      if (/birth date|TC number/.test(question.message)) usual.push(question.default)
      return prompts.text(question)
    },
  }
  const lead = (asked: Prompts) =>
    askGuests({...KNOWN, prompts: asked}, placesOf([{adults: 1, children_ages: []}]), [])
  const before = new Map([['Adult (leads): birth date (YYYY-MM-DD)', '1990-02-02']])
  expect(await withWayBack(watched, lead, {answers: before})).toEqual([guest()])
  expect(usual).toEqual(['1990-02-02', '1990-02-02', undefined, undefined])
})

describe('a telephone number', () => {
  test.each([
    ['+90 532 123 45 67', '+90', '5321234567', 'TR'],
    ['0532 1234567', '+90', '5321234567', 'TR'],
    ['+49 (30) 901820', '+49', '30901820', 'DE'],
    ['+1 212 555 0123', '+1', '2125550123', undefined],
  ])('%s', async (typed, prefix, national, country) => {
    const read = await createPhoneReader('TR')
    expect(read('phone', typed)).toMatchObject({phone_country_code: prefix, phone_number: national})
    if (country) expect(read('phone', typed).country).toBe(country)
  })

  test('is refused if it is not valid', async () => {
    const read = await createPhoneReader('TR')
    for (const typed of ['', 'abc', '12', '+999 123456', '+90 53', '+90 532 123 45 67 89 10 11'])
      expect(thrownBy(() => read('phone', typed)).message).toMatch(/\+90 532/)
  })

  test('needs its prefix if the country is not known', async () => {
    const read = await createPhoneReader()
    expect(thrownBy(() => read('phone', '0532 123 45 67')).message).toContain('country prefix')
  })
})

test('the contact has the names and the country of the lead guest as defaults', async () => {
  const prompts = scriptedPrompts([
    ...said`first name → | family name → | e-mail → ayse@ | e-mail → ayse@example.com | telephone → 532
      telephone → 532 123 45 67`,
  ])
  expect(await askContact(prompts, new Draft({guests: [guest()]}), undefined)).toEqual(CONTACT)
  expect(prompts.log).toContain('hint: +90 5321234567, Türkiye')
})

describe('the payment', () => {
  const cost = {total: '177.60', currency: 'EUR'}
  const offer = (paymentModes?: readonly string[]) =>
    ({...cost, details: {terms: {paymentModes}}}) as OfferFound

  test('shows the balance, and offers the payment page first if the balance is too low', async () => {
    const prompts = scriptedPrompts([['Payment', 'NOT ENOUGH']])
    expect(await askPayment(prompts, offer(), {amount: '10.00', currency: 'EUR'})).toBe('account')
    expect(prompts.log[1]).toContain('payment page')
  })

  test('compares what the account is charged, if the service said it', async () => {
    const dollars = {
      total: '177.60',
      currency: 'USD',
      details: {charge: {amount: '164.44', currency: 'EUR', rate: '0.9259'}},
    }
    const prompts = scriptedPrompts([['Payment', 'NOT ENOUGH']])
    await askPayment(prompts, dollars as unknown as OfferFound, {amount: '164.43', currency: 'EUR'})
    expect(prompts.log[1]).toContain('payment page')
  })

  test('balances of another currency are not compared', () => {
    expect(isTooLittle({amount: '10.00', currency: 'USD'}, cost)).toBe(false)
    expect(isTooLittle(undefined, cost)).toBe(false)
  })

  test('offers only the modes of the offer', async () => {
    const prompts = scriptedPrompts([['Payment', 'page']])
    await askPayment(prompts, offer(['instant']), undefined)
    expect(prompts.log.join()).not.toContain('balance')
  })
})
