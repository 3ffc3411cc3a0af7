/** Asks for the guests of every room, the lead guest first; people kept on this machine are offered again. */
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Room} from '../../../contract/hotels.js'
import type {Guest} from '../../../contract/reservations.js'
import type {Kept, KeptGuest, People} from '../../../state/people-store.js'
import type {Choice, Prompts} from '../../terminal/prompts/prompts.js'
import {askGuest, doubtAge, type GuestCircumstances, type GuestForm, type Place} from './ask-guest.js'

/** The places of the rooms in the order the guests are sent: room by room, adults before children. */
export function placesOf(rooms: readonly Room[]): Place[] {
  const several = rooms.length > 1
  const places = rooms.flatMap((room, index) => {
    const prefix = several ? `Room ${index + 1}, adult` : 'Adult'
    const childPrefix = several ? `Room ${index + 1}, child` : 'Child'
    const adults = Array.from({length: room.adults}, (_, n) => ({
      label: room.adults === 1 ? prefix : `${prefix} ${n + 1}`,
      type: 'ADULT' as const,
      age: undefined,
    }))
    const children = room.children_ages.map((age, n) => ({
      label: `${childPrefix}${room.children_ages.length === 1 ? '' : ` ${n + 1}`} (aged ${age})`,
      type: 'CHILD' as const,
      age,
    }))
    return [...adults, ...children]
  })
  return places.map((place, index) => ({
    ...place,
    label: index === 0 ? `${place.label} (leads)` : place.label,
    isLead: index === 0,
  }))
}

/**
 * The guest of every place. `forms` is filled in place, one for each, so that what was answered is not asked again.
 * `people`: where earlier guests are; undefined where nothing can be kept.
 */
export async function askGuests(
  prompts: Prompts,
  places: readonly Place[],
  forms: GuestForm[],
  known: GuestCircumstances,
  people: People | undefined,
): Promise<Guest[]> {
  const guests: Guest[] = []
  for (const [index, place] of places.entries()) {
    forms[index] ??= {}
    const form = forms[index]
    if (people && isEmpty(form)) Object.assign(form, await askKept(prompts, place, forms, known, people))
    guests.push(await askGuest(prompts, place, form, known))
  }
  return guests
}

function isEmpty(form: GuestForm): boolean {
  return Object.values(form).every(value => value === undefined)
}

type Picked = Kept<KeptGuest> | 'new' | 'forget'

/** The details of an earlier guest that the person picks; empty for somebody new. */
async function askKept(
  prompts: Prompts,
  place: Place,
  forms: readonly GuestForm[],
  known: GuestCircumstances,
  people: People,
): Promise<GuestForm> {
  for (;;) {
    const kept = people.guests().filter(({details}) => !forms.some(form => isSame(form, details)))
    if (kept.length === 0) return {}
    const picked = await prompts.choose<Picked>({
      message: `${place.label}: who is it?`,
      choices: [
        ...kept.map(one => ({value: one, name: describeKept(one.details, place, known)})),
        {value: 'new' as const, name: 'Somebody new'},
        {value: 'forget' as const, name: 'Forget somebody kept on this machine'},
      ],
    })
    if (picked === 'new') return {}
    if (picked !== 'forget') return formOf(picked.details)
    await forgetSomebody(prompts, people)
  }
}

function isSame(form: GuestForm, kept: KeptGuest): boolean {
  return form.name === kept.name && form.surname === kept.surname && form.birth_date === kept.birth_date
}

function formOf({name, surname, birth_date, gender, nationality, identity}: KeptGuest): GuestForm {
  return {
    ...{name, surname},
    ...(birth_date === undefined ? {} : {birth_date}),
    ...(gender === undefined ? {} : {gender}),
    ...(nationality === undefined ? {} : {nationality}),
    ...(identity === undefined ? {} : {identity}),
  }
}

function describeKept(guest: KeptGuest, place: Place, known: GuestCircumstances): string {
  const name = sanitizeLine(`${guest.name} ${guest.surname}`, 60)
  const born = guest.birth_date === undefined ? '' : `, born ${guest.birth_date}`
  const misfit = guest.birth_date === undefined ? undefined : doubtAge(guest.birth_date, place, known)
  return `${name}${born}${misfit === undefined ? '' : ' (age does not fit)'}`
}

/** Lets a person take people off this machine, one or all. */
async function forgetSomebody(prompts: Prompts, people: People): Promise<void> {
  const choices: Choice<number | 'all' | undefined>[] = [
    ...people.guests().map(({id, details}) => ({
      value: id,
      name: sanitizeLine(`${details.name} ${details.surname}, guest`, 60),
    })),
    ...people.contacts().map(({id, details}) => ({
      value: id,
      name: sanitizeLine(`${details.name} ${details.surname}, contact`, 60),
    })),
    {value: 'all', name: 'Everybody kept for this account'},
    {value: undefined, name: 'Nobody, go back'},
  ]
  const whom = await prompts.choose({message: 'Whom shall this machine forget?', choices})
  if (whom !== undefined) people.forget(whom)
}
