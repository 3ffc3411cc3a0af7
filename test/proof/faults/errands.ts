/** What is typed for a row of the matrix, after what it needs was made at the sandbox. */
import {randomUUID} from 'node:crypto'
import {GUESTS} from '../../support/stay.js'
import type {Side} from '../scene.js'

export interface Errand {
  readonly argv: readonly string[]
  /** How often the service made the change: 0 or 1; more is the mistake looked for. */
  readonly effects?: () => Promise<number>
  /** The client reference of a reservation. */
  readonly reference?: string
  /** What the body of the request must say; it may say more. */
  readonly sends?: object
}

export type Make = (side: Side) => Promise<Errand>

export const typed =
  (...argv: string[]): Make =>
  async () => ({argv})

/** `argv` and what `make` makes. */
export const of =
  (make: (side: Side) => Promise<string>, ...argv: string[]): Make =>
  async side => ({argv: [...argv, await make(side)]})

export function reserving(mode: 'account' | 'instant', ...more: string[]): Make {
  return async side => {
    const [reference, offer] = [`cell-${randomUUID()}`, await side.offer()]
    const guest = {
      name: 'Ayşe',
      surname: 'Öğüt',
      identity: {type: 'TC', number: '10000000146'},
      is_lead: true,
    }
    const sends = {
      offer_id: offer,
      client_reference_id: reference,
      client_nationality: 'TR',
      payment: {mode},
      guests: [guest, {name: 'Can'}],
      contact: {email: 'ayse@example.com', phone_country_code: '+90'},
    }
    const how = ['--pay', mode, '--client-reference', reference, '--nationality', 'TR', ...more]
    const effects = async () => (await side.reservations(reference)).length
    return {argv: ['reserve', offer, ...GUESTS, ...how], effects, reference, sends}
  }
}

/** Makes a subscription passive. */
export const pausing =
  (argv: (id: string) => string[]): Make =>
  async side => {
    const id = await side.subscription()
    const isActive = async () =>
      (await side.show<{is_active: boolean}>(`/webhooks/subscriptions/${id}`)).is_active
    return {argv: argv(id), sends: {is_active: false}, effects: async () => Number(!(await isActive()))}
  }

export const paying =
  (result: 'paid' | 'failed', ...argv: string[]): Make =>
  async side => {
    const ref = await side.reservation('instant')
    const effects = async () => {
      const {payment} = await side.show<{payment: {status: string}}>(`/reservations/${ref}`)
      return Number(payment.status === result.toUpperCase())
    }
    return {argv: ['sandbox', 'pay', ref, ...argv], sends: {result}, effects}
  }

export const cancelling: Make = async side => {
  const ref = await side.reservation()
  const effects = async () =>
    Number((await side.show<{status: string}>(`/reservations/${ref}`)).status === 'CANCELLED')
  return {argv: ['reservations', 'cancel', ref, '--yes'], effects}
}

export const updating: Make = async side => {
  const ref = await side.reservation()
  const email = `${randomUUID()}@example.com`
  const effects = async () =>
    Number((await side.show<{contact: {email: string}}>(`/reservations/${ref}`)).contact.email === email)
  const argv = ['reservations', 'update', ref, '--contact', `email=${email}`]
  return {argv, sends: {contact: {email}}, effects}
}

export const subscribing =
  (...argv: string[]): Make =>
  async side => {
    const url = `https://127.0.0.1:1/${randomUUID()}`
    const effects = async () => (await side.subscriptionsTo(url)).length
    return {
      argv: [...argv, url, '--event', 'voucher.ready'],
      sends: {url, events: ['voucher.ready']},
      effects,
    }
  }

export const downloading = of(side => side.reservation(), 'voucher', 'download', '--file', 'v.pdf')
