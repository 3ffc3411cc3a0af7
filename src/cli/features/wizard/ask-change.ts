/** What to change before the confirmation is asked for again. Takes it out of the draft; the rest is not asked anew. */
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import type {GuestForm} from './ask-guest.js'
import {BACK_TO_OFFERS, type Draft, SearchAgain} from './draft.js'

type Change = 'nothing' | 'guests' | 'contact' | 'payment' | 'reference' | 'offer' | 'stop'

/** Throws SearchAgain for another offer, and usage `not_confirmed` when the person stops. */
export async function askChange(prompts: Prompts, draft: Draft): Promise<void> {
  // After a refusal something may have to be asked anyway.
  if (draft.payment === undefined || draft.reference === undefined) return
  const change = await prompts.choose<Change>({
    message: 'What now?',
    choices: [
      {value: 'nothing', name: 'Show the summary again and reserve'},
      {value: 'guests', name: 'Change a guest'},
      {value: 'contact', name: 'Change the contact'},
      {value: 'payment', name: 'Change the payment'},
      {value: 'reference', name: 'Change the booking reference'},
      {value: 'offer', name: 'Choose another offer, or change the search'},
      {value: 'stop', name: 'Stop; nothing is sent'},
    ],
  })
  if (change === 'stop') throw usage('not_confirmed', 'not confirmed; nothing was sent')
  if (change === 'offer') throw new SearchAgain(BACK_TO_OFFERS)
  if (change === 'guests') await changeGuest(prompts, draft)
  else if (change !== 'nothing') draft[change] = undefined
}

const FIELDS = {
  name: 'First name',
  surname: 'Family name',
  birth_date: 'Birth date',
  gender: 'Gender',
  nationality: 'Nationality',
  identity: 'Identity document',
} as const satisfies Partial<Record<keyof GuestForm, string>>

async function changeGuest(prompts: Prompts, draft: Draft): Promise<void> {
  const index = await prompts.choose({
    message: 'Which guest?',
    choices: draft.forms.map(({name = '', surname = ''}, value) => ({
      value,
      name: sanitizeLine(`${name} ${surname}`, 60),
    })),
  })
  const form = draft.forms[index] ?? {}
  const field = await prompts.choose<keyof GuestForm | 'all'>({
    message: 'What of it?',
    choices: [
      ...Object.entries(FIELDS).map(([value, name]) => ({value: value as keyof GuestForm, name})),
      {value: 'all' as const, name: 'All of it: somebody else comes'},
    ],
  })
  if (field === 'all') {
    draft.forms[index] = {}
    forgetAnswers(draft, index)
  } else delete form[field]
  draft.guests = undefined
}

/** Nothing of who came before is offered to whoever comes instead. */
function forgetAnswers({said, places}: Draft, index: number): void {
  const label = places?.[index]?.label
  for (const message of [...said.keys()]) if (message.startsWith(`${label}: `)) said.delete(message)
}
