/** What is typed for a cell, after what it needs was made at the sandbox, and how to tell how often it was done. */
import {randomUUID} from 'node:crypto'
import {GUESTS} from '../support/stay.js'
import type {SandboxSide} from './sandbox-side.js'

export interface Errand {
  readonly argv: readonly string[]
  /** How often the change was made by the service: 0 or 1, and any more is the mistake looked for. */
  readonly effects?: () => Promise<number>
  /** What the journal calls it, for reservations. */
  readonly reference?: string
  /** What the body of the request must say; it may say more. */
  readonly sends?: object
}

const GUEST = {name: 'Ayşe', surname: 'Öğüt', identity: {type: 'TC', number: '10000000146'}, is_lead: true}

export function reserving(mode: 'account' | 'instant', ...more: string[]) {
  return async (side: SandboxSide): Promise<Errand> => {
    const reference = `cell-${randomUUID()}`
    const offer = await side.offer()
    const how = ['--pay', mode, '--client-reference', reference, '--nationality', 'TR', ...more]
    return {
      argv: ['reserve', offer, ...GUESTS, ...how],
      effects: () => side.reservationsWith(reference),
      reference,
      sends: {
        ...{offer_id: offer, client_reference_id: reference, client_nationality: 'TR', payment: {mode}},
        ...{guests: [GUEST, {name: 'Can'}], contact: {email: 'ayse@example.com', phone_country_code: '+90'}},
      },
    }
  }
}

/** Makes a subscription passive; `argv` is told its id. */
export function pausing(argv: (id: string) => string[]) {
  return async (side: SandboxSide): Promise<Errand> => {
    const id = await side.subscription()
    return {
      argv: argv(id),
      sends: {is_active: false},
      effects: async () =>
        Number(!(await side.show<{is_active: boolean}>(`/webhooks/subscriptions/${id}`)).is_active),
    }
  }
}

/** Pays, or lets the payment fail. */
export function paying(word: 'paid' | 'failed', argv: readonly string[]) {
  return async (side: SandboxSide): Promise<Errand> => {
    const reference = await side.reservation('instant')
    return {
      argv: ['sandbox', 'pay', reference, ...argv],
      sends: {result: word},
      async effects() {
        const {payment} = await side.show<{payment: {status: string}}>(`/reservations/${reference}`)
        return Number(payment.status === {paid: 'PAID', failed: 'FAILED'}[word])
      },
    }
  }
}

export async function cancelling(side: SandboxSide): Promise<Errand> {
  const reference = await side.reservation('account')
  return {
    argv: ['reservations', 'cancel', reference, '--yes'],
    effects: async () =>
      Number((await side.show<{status: string}>(`/reservations/${reference}`)).status === 'CANCELLED'),
  }
}

export async function downloading(side: SandboxSide): Promise<Errand> {
  return {argv: ['voucher', 'download', await side.reservation('account'), '--file', 'v.pdf']}
}

export async function subscribing(side: SandboxSide, argv: readonly string[], flag: string): Promise<Errand> {
  const url = `https://127.0.0.1:1/${randomUUID()}`
  return {
    argv: [...argv, flag, url, '--event', 'voucher.ready'],
    sends: {url, events: ['voucher.ready']},
    effects: async () => {
      const all = await side.show<{url: string}[]>('/webhooks/subscriptions?limit=200')
      return all.filter(each => each.url === url).length
    },
  }
}
