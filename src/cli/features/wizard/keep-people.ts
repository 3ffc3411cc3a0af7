/** Storing guests and contact on this machine, if the person agrees; identity numbers only with a separate yes. */
import type {KeptGuest, People} from '../../../state/people-store.js'
import type {Connection} from '../../session/connect.js'
import type {Prompts} from '../../terminal/prompts/prompts.js'
import type {Draft, WizardParts} from './draft.js'

/** The people stored for this client; undefined where nothing can be stored. */
export function peopleHere({state, target}: Connection): People | undefined {
  return state.writable ? state.people.forClient(target) : undefined
}

/** Asked once, and only if a guest or the contact is not stored yet. */
export async function askKeep(
  prompts: Prompts,
  draft: Draft,
  people: People,
): Promise<NonNullable<Draft['keep']>> {
  const known = new Set(people.guests().map(({details}) => nameOf(details)))
  const contacts = new Set(people.contacts().map(({details}) => details.email))
  const isKnown = draft.guests?.every(guest => known.has(nameOf(guest))) ?? true
  if (isKnown && contacts.has(draft.contact?.email ?? '')) return 'nothing'
  return prompts.choose<NonNullable<Draft['keep']>>({
    message: 'Store these guests and the contact on this machine for the next booking?',
    default: 'nothing',
    choices: [
      {value: 'nothing', name: 'No'},
      {value: 'without identity', name: 'Yes, but not their identity numbers'},
      {value: 'everything', name: 'Yes, with their identity numbers'},
    ],
  })
}

/** Stores what was agreed, once the reservation is made; a failed write is only reported. */
export function keepPeople({connection, tell}: WizardParts, draft: Draft): void {
  const {keep, guests = [], contact} = draft
  if (keep === undefined || keep === 'nothing') return
  const kept = guests.map(({type: _, is_lead: __, identity, ...guest}) =>
    keep === 'everything' && identity ? {...guest, identity} : guest,
  )
  try {
    peopleHere(connection)?.keep({guests: kept, ...(contact ? {contact} : {})}, connection.clock.now())
  } catch (error) {
    tell(`The guests could not be stored: ${(error as Error).message}`)
  }
}

function nameOf({name, surname, birth_date = ''}: KeptGuest): string {
  return [name, surname, birth_date].join('\n')
}
