/** The command lines printed where a person stopped the wizard. */
import {expect, test} from 'vitest'
import {Draft} from '../../../../src/cli/features/wizard/draft.js'
import {resumingLines} from '../../../../src/cli/features/wizard/resuming.js'

test('people typed for an offer that has expired are in the command for the next one', () => {
  const draft = new Draft({nationality: 'TR'}, [
    {type: 'ADULT', name: 'Ayşe', surname: 'Öğüt', is_lead: true},
  ])
  draft.search = {...draft.search, city: 101, 'check-in': '2030-06-01', 'check-out': '2030-06-04'}
  draft.answers.set('Ayşe Öğüt: gender', 'FEMALE')
  expect(resumingLines(draft, {service: ['--profile', 'agency'], wait: 60, yes: true})).toEqual([
    'To search with these answers:',
    '  bookctl hotels search --city 101 --check-in 2030-06-01 --check-out 2030-06-04 --nationality TR --profile agency',
    'Then, with the id of an offer:',
    "  bookctl reserve OFFER_ID --nationality TR --guest 'type=ADULT,name=Ayşe,surname=Öğüt,is_lead=true' --wait=60 --profile agency",
  ])
})

test('nothing is printed before the first answer', () => {
  expect(resumingLines(new Draft(), {'dry-run': true})).toEqual([])
})
