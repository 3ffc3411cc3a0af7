/** What is typed for a cell, after what it needs was made at the sandbox, and how to tell how often it was done. */
import {randomUUID} from 'node:crypto'
import type {SandboxSide} from './sandbox-side.js'

export interface Errand {
  readonly argv: readonly string[]
  /** How often the change was made by the service: 0 or 1, and any more is the mistake looked for. */
  readonly effects?: () => Promise<number>
  /** What the journal calls it, for reservations. */
  readonly reference?: string
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
    effects: async () => {
      const all = await side.show<{url: string}[]>('/webhooks/subscriptions?limit=200')
      return all.filter(each => each.url === url).length
    },
  }
}
