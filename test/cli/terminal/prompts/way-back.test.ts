/** Escape goes back one question at a time, and earlier answers are offered again. */
import {beforeEach, expect, test} from 'vitest'
import {peopleHere} from '../../../../src/cli/features/wizard/ask-people.js'
import type {Prompts} from '../../../../src/cli/terminal/prompts/prompts.js'
import {GoBack, withWayBack} from '../../../../src/cli/terminal/prompts/way-back.js'
import {sandboxOfFile} from '../../../support/served-sandbox.js'
import {CONTACT} from '../../../support/stay.js'
import {type Desk, LEAD, openDesk} from '../../features/wizard/desk.js'
import {type Line, said, scriptedPrompts} from '../../features/wizard/scripted-prompts.js'

const sandbox = await sandboxOfFile()
let desk: Desk
beforeEach(async () => {
  desk = await openDesk(sandbox.env)
})

const three = async (prompts: Prompts) => [
  await prompts.text({message: 'one'}),
  await prompts.text({message: 'two', empty: 'none'}),
  await prompts.confirm({message: 'three'}),
]

test('answers are kept, as defaults of their questions or unchanged', async () => {
  const script: Line[] = said`one → a | two → b | three → ^esc | two → ^esc | one → | two → - | three → yes`
  const prompts = scriptedPrompts(script)
  expect(await withWayBack(prompts, three)).toEqual(['a', '', true])
  expect(prompts.left()).toBe(0)
})

test('Escape at the first question goes back only if there is something to go back to', async () => {
  const stays = scriptedPrompts([...said`one → ^esc | two → | three → no`])
  expect(await withWayBack(stays, three)).toEqual(['^esc', '', false])
  const leaves = scriptedPrompts([['one', '^esc']])
  await expect(withWayBack(leaves, three, {leaves: true})).rejects.toBeInstanceOf(GoBack)
})

test('an answer is not used for another question if its own is no longer asked', async () => {
  let kept = true
  const lead = async (prompts: Prompts) => {
    if (kept && (await prompts.text({message: 'who'})) === 'forget') kept = false
    return [await prompts.text({message: 'name'}), await prompts.text({message: 'surname'})]
  }
  const script: Line[] = said`who → forget | name → A | surname → ^esc | name → B | surname → C`
  expect(await withWayBack(scriptedPrompts(script), lead)).toEqual(['B', 'C'])
})

const SEARCH = said`City → 101 | Check-in → 2030-06-01 | Check-out → 2 | Number of rooms → 1 | Adults → 2
  Number of children → 1 | Age of the child → 4 | Nationality → TR | Currency → EUR`

test('from the confirmation through all guests to the offers and the search, and on again with Enter', async () => {
  const guest = (name: string): Line[] => [
    ['first name', name],
    ['family name', 'Öğüt'],
    ['birth date', name === 'Ece' ? '2026-02-01' : '1990-02-03'],
    ...said`gender → Female | nationality → TR | document → None`,
  ]
  const asked: Line[] = [
    ...['Ayşe', 'Can', 'Ece'].flatMap(guest),
    ...said`Contact: first name → | Contact: family name → | e-mail → ayse@example.com
      telephone → 5321234567 | Payment → balance | reference → TRIP-1
      Store these guests → with their identity`,
  ]
  const back = ([message]: Line): Line => [message, '^esc']
  // Choices from a list are named again by the script; other answers are accepted with an empty line.
  const again = ([message, answer]: Line): Line =>
    /gender|nationality|document|Payment|Store|Offer/.test(String(message))
      ? [message, answer]
      : [message, '']
  const booked = await desk.run([
    ...[...SEARCH, ...said`Offer →`, ...asked, ...said`Reserve → ^esc`],
    ...asked.map(back).reverse(),
    ...said`Offer → ^esc | What do you want to change in the search → ^esc | Offer →`,
    ...asked.map(again),
    ['Reserve', 'yes'],
  ])
  expect(desk.prompts.left()).toBe(0)
  expect(booked.booking?.client_reference_id).toBe('TRIP-1')
  expect(booked.plan?.request.guests.map(({name}) => name)).toEqual(['Ayşe', 'Can', 'Ece'])
  expect((await peopleHere(desk.connection))?.guests()).toHaveLength(3)
})

test('from the choice of what to change, Escape leads to the summary or the list, and a second Escape to the question before', async () => {
  const given = {guest: [LEAD], contact: CONTACT, pay: 'account'}
  const script = said`Adults → 1 | children → 0 | Nationality → TR | Currency → EUR | Offer → [Change the search]
    What do you want to change in the search → ^esc | Offer → ^esc | Currency → EUR | Offer →
    booking reference → TRIP-ONE | Store these guests → No | Reserve this now → no
    What do you want to change → ^esc | Reserve this now → ^esc | Store these guests → ^esc
    booking reference → TRIP-TWO | Store these guests → No | Reserve this now → yes`
  const booked = await desk.run([...SEARCH.slice(0, 4), ...script], given)
  expect(booked.booking?.client_reference_id).toBe('TRIP-TWO')
})
