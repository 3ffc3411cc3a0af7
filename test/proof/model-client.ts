/**
 * A model of what `reserve` promises: one consent, which is an offer under a client reference, makes at most one
 * reservation, whatever befalls the wire and the process in whatever order; what the command says of it holds; and when
 * the faults are over, resuming finds out what is left.
 */
import type {ChildProcess} from 'node:child_process'
import fc from 'fast-check'
import {isNeverSent} from '../../src/contract/journal.js'
import {openState} from '../../src/state/state.js'
import type {Finished} from '../support/bookctl.js'
import type {LocalSandbox} from '../support/local-sandbox.js'
import {GUESTS} from '../support/stay.js'
import {replyBytes, type WireFault} from '../support/wire.js'
import {deadlyEnv} from './kills/trial.js'
import {Scene} from './race-scene.js'

const RESERVE = '/reservations/hotel'

const FAULTS = {
  'nothing wrong': undefined,
  'cut before it is sent on': {forwards: false, play: () => ['reset']},
  'the answer lost': {forwards: true, play: () => ['reset']},
  'the answer cut short': {forwards: true, play: reply => [replyBytes(reply).subarray(0, -40), 'end']},
  'an answer of 503, though it was done': {forwards: true, play: () => [said(503, 'service_unavailable')]},
  'an answer of 503': {forwards: false, play: () => [said(503, 'service_unavailable')]},
  'said to be in progress': {forwards: false, play: () => [said(409, 'idempotency_in_progress')]},
  'said to be too early': {forwards: false, play: () => [said(425, 'too_early')]},
} satisfies Record<string, WireFault | undefined>

type FaultName = keyof typeof FAULTS
type Kill = 'once it is written down' | 'before it is sent on' | 'after it was done'

interface Step {
  readonly does: 'reserve' | 'resume'
  readonly offer: number
  readonly reference: number
  readonly fault: FaultName
  /** Whether every attempt is struck, or the first alone. */
  readonly always: boolean
  readonly kill: Kill | undefined
}

const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom('reserve' as const, 'reserve' as const, 'resume' as const),
  ...{offer: fc.nat(1), reference: fc.nat(1), always: fc.boolean()},
  fault: fc.constantFrom(...(Object.keys(FAULTS) as FaultName[])),
  kill: fc.option(
    fc.constantFrom<Kill>('once it is written down', 'before it is sent on', 'after it was done'),
    {nil: undefined, freq: 4},
  ),
})

/** It dies of itself when the journal has it and no attempt is counted. */
const WRITTEN_DOWN = deadlyEnv({
  kind: 'point',
  point: {label: '^sql COMMIT .*INSERT INTO reservations', when: 'after'},
})

function said(status: number, code: string): Buffer {
  const body = Buffer.from(JSON.stringify({error: {code, message: 'later'}}))
  return replyBytes({status, headers: {'content-type': 'application/json'}, body})
}

class Client {
  private constructor(
    private readonly scene: Scene,
    private readonly offers: readonly string[],
  ) {}

  static async open(sandbox: LocalSandbox): Promise<Client> {
    const scene = await Scene.open(sandbox, 1)
    return new Client(
      scene,
      (await scene.offers(2)).map(({offer_id}) => offer_id),
    )
  }

  close(): Promise<void> {
    return this.scene.close()
  }

  /** Does the step, and says what is wrong with what came of it. */
  async perform(each: Step): Promise<string[]> {
    const {scene} = this
    let child: ChildProcess | undefined
    const isUnsent = each.does === 'resume' && this.isUnsent(each)
    const before = scene.sent('POST', RESERVE).length
    scene.proxy.strike = this.strikeOf(each, () => child?.kill('SIGKILL'))
    const finished = await scene.home.run(this.argvOf(each), {
      env: each.kill === 'once it is written down' ? WRITTEN_DOWN : {},
      onStart: started => {
        child = started
      },
    })
    scene.proxy.strike = undefined
    const sent = scene.sent('POST', RESERVE).length - before
    const wrong = isUnsent && (finished.exit !== 2 || sent > 0)
    return [
      ...(wrong ? [`what was never sent is resumed with ${finished.exit}, ${sent} requests`] : []),
      ...(await this.counts()),
      ...(await this.holds(each, finished)),
    ]
  }

  private isUnsent({reference}: Step): boolean {
    const entry = this.entries().find(each => each.clientReferenceId === `consent-${reference}`)
    return entry !== undefined && isNeverSent(entry)
  }

  private argvOf({does, offer, reference}: Step): string[] {
    const name = `consent-${reference}`
    if (does === 'resume') return ['reserve', '--resume', name, '--json', '--timeout', '3']
    const how = ['--nationality', 'TR', '--pay', 'account', '--json', '--timeout', '3']
    return ['reserve', this.offers[offer] ?? '', ...GUESTS, '--client-reference', name, ...how]
  }

  private strikeOf({fault, always, kill}: Step, killChild: () => void) {
    const {proxy} = this.scene
    const chosen: WireFault | undefined =
      kill && kill !== 'once it is written down'
        ? {
            forwards: kill === 'after it was done',
            play() {
              killChild()
              return ['hang']
            },
          }
        : FAULTS[fault]
    if (chosen === undefined) return undefined
    const {forwards} = chosen
    const play: WireFault['play'] = (reply, place) => {
      if (!always && !kill) proxy.strike = undefined
      return chosen.play(reply, place)
    }
    return {fault: {forwards, play}, method: 'POST', path: /\/reservations\/hotel$/}
  }

  /** At most one reservation of each offer, and under each reference. */
  private async counts(): Promise<string[]> {
    const made = await this.scene.reservations()
    const twice = (values: string[]) => values.length !== new Set(values).size
    return [
      ...(twice(made.map(({offer_id}) => offer_id)) ? ['an offer was reserved twice'] : []),
      ...(twice(made.map(({client_reference_id}) => client_reference_id)) ? ['a consent made two'] : []),
    ]
  }

  private async holds({reference}: Step, {exit, stdout, stderr}: Finished): Promise<string[]> {
    const made = await this.scene.reservations()
    const ours = made.find(each => each.client_reference_id === `consent-${reference}`)
    const entry = this.entries().find(each => each.clientReferenceId === `consent-${reference}`)
    const isOpen = entry?.outcome === 'unresolved' || entry?.outcome === 'unknown'
    const told = `exit ${exit}: ${stdout.replaceAll(/\s+/g, ' ').slice(0, 300)} ${stderr.slice(0, 100)}`
    if (![0, 2, 5, 6, 7, 10, 'SIGKILL'].includes(exit as number)) return [told]
    if (exit === 0 && JSON.parse(stdout).reservation?.reservation_ref !== ours?.reservation_ref)
      return [`it names another reservation than ${ours?.reservation_ref}: ${told}`]
    if (exit === 10 && !isOpen) return [`the journal calls it ${entry?.outcome}: ${told}`]
    if (ours && !isOpen && entry?.reservationRef !== ours.reservation_ref)
      return [`the journal has lost ${ours.reservation_ref}: ${told}`]
    if (!ours && entry?.reservationRef)
      return [`the journal has ${entry.reservationRef}, which was never made: ${told}`]
    return []
  }

  private entries() {
    const state = openState(this.scene.home.configDirectory)
    const entries = state.journal.list()
    state.close()
    return entries
  }

  /** With the faults over, what is open is resumed, and the journal says what the service has. */
  async settle(): Promise<string[]> {
    const open = this.entries().filter(({outcome}) => outcome === 'unresolved' || outcome === 'unknown')
    for (const {clientReferenceId} of open)
      await this.scene.home.run(['reserve', '--resume', clientReferenceId, '--json'])
    const made = (await this.scene.reservations()).map(({reservation_ref}) => reservation_ref).sort()
    const kept = this.entries().flatMap(({reservationRef}) => reservationRef ?? [])
    const left = this.entries().filter(({outcome}) => outcome === 'unresolved' || outcome === 'unknown')
    return [
      ...(left.length === 0 ? [] : [`${left.length} are open still`]),
      ...(kept.sort().join() === made.join() ? [] : [`the journal has ${kept}, the service ${made}`]),
      ...(await this.counts()),
    ]
  }
}

/** Runs sequences of steps from `seed`; returns what is wrong, with the way back to it. */
export async function runClientModel(
  sandbox: LocalSandbox,
  seed: number,
  runs: number,
): Promise<string | undefined> {
  const property = fc.asyncProperty(
    fc.array(step, {minLength: 1, maxLength: 6, size: 'max'}),
    async steps => {
      const client = await Client.open(sandbox)
      try {
        for (const each of steps) {
          const wrong = await client.perform(each)
          if (wrong.length > 0) throw new Error(wrong.join('\n'))
        }
        const wrong = await client.settle()
        if (wrong.length > 0) throw new Error(wrong.join('\n'))
      } finally {
        await client.close()
      }
    },
  )
  const result = await fc.check(property, {seed, numRuns: runs})
  if (!result.failed) return undefined
  return `${(result.errorInstance as Error).message}\n${fc.defaultReportMessage(result)}`
}
