/** The two sides of a receiver under a steady load: who sends events to it, and to whom it forwards them. */
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import {Agent, request} from 'node:https'
import type {AddressInfo} from 'node:net'
import {signatureOf} from '../../support/webhook-files.js'
import {SECRET} from '../../support/webhook-load.js'

/** One event in this many has the type that is forwarded to the address that always fails. */
const VOUCHERS = 500
/** One event in this many is sent once more after its 200. */
const REPEATED = 100
/** How long the service waits for an answer (§6.4), and how long this one waits before it sends again. */
const PATIENCE_MILLISECONDS = 3000
const AGAIN_MILLISECONDS = 5000
const AT_ONCE = 64

interface Attempt {
  readonly number: number
  /** When it is due, as from performance.now(). */
  readonly at: number
}

/**
 * Sends events at a rate, each again until it is answered 200. While it repeats many it sends fewer new ones, so the number of
 * events on the way is bounded.
 */
export class Sender {
  readonly counts = {sent: 0, accepted: 0, busy: 0, unanswered: 0}
  /** Answers that are none of 200 and 503. */
  readonly odd: string[] = []
  /** Whether the event of each number was answered 200. */
  readonly answered: Uint8Array
  private readonly agent = new Agent({keepAlive: true, maxSockets: AT_ONCE, rejectUnauthorized: false})
  private readonly timer: NodeJS.Timeout
  private again: Attempt[] = []
  private next = 0
  private open = 0
  private due = performance.now()
  private isStopping = false

  constructor(
    private readonly port: number,
    private readonly perSecond: number,
    most: number,
  ) {
    this.answered = new Uint8Array(most)
    this.timer = setInterval(() => this.sendDue(), 10)
  }

  /** Whether something is still to be answered, once no new events are sent. */
  get isBusy(): boolean {
    return this.open > 0 || this.again.length > 0
  }

  /** Sends no new events, and goes on with those that were not answered 200. */
  finish(): void {
    this.isStopping = true
  }

  close(): void {
    clearInterval(this.timer)
    this.agent.destroy()
  }

  private sendDue(): void {
    const now = performance.now()
    for (; this.due <= now; this.due += 1000 / this.perSecond) {
      if (this.open >= AT_ONCE) continue
      const [first] = this.again
      if (first && first.at <= now) this.send((this.again.shift() as Attempt).number)
      else if (!this.isStopping && this.next < this.answered.length) this.send(this.next++)
    }
  }

  private send(number: number): void {
    const type = number % VOUCHERS === 0 ? 'voucher.ready' : 'reservation.confirmed'
    const data = {object: 'reservation', reservation_ref: 'RSV-0000000000', note: 'ş'.repeat(200)}
    const body = Buffer.from(
      JSON.stringify({id: `evt_${number}`, type, created: '2030-06-01T12:00:00+03:00', data}),
    )
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      'x-service-signature': signatureOf(body, Math.floor(Date.now() / 1000), SECRET),
      'x-service-event-id': `evt_${number}`,
    }
    this.open += 1
    this.counts.sent += 1
    let status: number | undefined
    const place = {host: '127.0.0.1', port: this.port, agent: this.agent}
    const outgoing = request({...place, method: 'POST', headers}, answer => {
      status = answer.statusCode
      answer.resume()
    })
    outgoing.setTimeout(PATIENCE_MILLISECONDS, () => void outgoing.destroy())
    outgoing.on('error', () => {})
    outgoing.on('close', () => this.onEnd(number, status))
    outgoing.end(body)
  }

  private onEnd(number: number, status: number | undefined): void {
    this.open -= 1
    const isNew = this.answered[number] === 0
    if (status === 200) {
      this.counts.accepted += 1
      this.answered[number] = 1
    } else if (status === 503) this.counts.busy += 1
    else if (status === undefined) this.counts.unanswered += 1
    else this.odd.push(`evt_${number} was answered ${status}`)
    if (status !== 200 || (isNew && number % REPEATED === 0))
      this.again.push({number, at: performance.now() + AGAIN_MILLISECONDS})
  }
}

/** Sends an event with a wrong signature, and returns the status of the answer. */
export function sendForged(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = {
      'x-service-signature': signatureOf('another body', Math.floor(Date.now() / 1000), SECRET),
    }
    request({host: '127.0.0.1', port, method: 'POST', rejectUnauthorized: false, headers}, answer => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end('{"id":"evt_forged"}')
  })
}

/** What a target does with a request: answers 200, answers 500, never answers, or closes the connection. */
export type Mood = 'answers' | 'fails' | 'hangs' | 'cuts'

export type Target = Awaited<ReturnType<typeof startMoodyTarget>>

/** Starts a server with two addresses: one that answers by its mood, and one that always answers 500. */
export async function startMoodyTarget(most: number) {
  /** How often the event of each number was answered 200. */
  const taken = new Uint8Array(most)
  const odd: string[] = []
  let mood: Mood = 'answers'
  const answer = (path: string | undefined, body: string, response: ServerResponse) => {
    const number = Number(/"id":"evt_(\d+)"/.exec(body)?.[1] ?? -1)
    if (!(number >= 0 && number < most)) odd.push(`no event: ${body.slice(0, 100)}`)
    if (path === '/never' || mood === 'fails') response.writeHead(500).end()
    else if (mood === 'cuts') response.destroy()
    else if (mood === 'answers') {
      taken[number] = Math.min(255, (taken[number] ?? 0) + 1)
      response.end()
    }
  }
  const server = createServer(async (incoming: IncomingMessage, response) => {
    const pieces: Buffer[] = []
    try {
      for await (const piece of incoming) pieces.push(piece)
    } catch {
      // The sender was stopped. It sends the event again.
      return
    }
    answer(incoming.url, Buffer.concat(pieces).toString(), response)
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/hooks`,
    urlThatFails: `${origin}/never`,
    taken,
    odd,
    get mood() {
      return mood
    },
    become(next: Mood) {
      mood = next
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
