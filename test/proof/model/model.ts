/**
 * Models, in random order. commands.ts compares the local sandbox with a model of the service (service.ts). This file checks the
 * promise of `reserve`: one consent (an offer with a client reference) makes at most one reservation, whatever happens to the
 * connection and the process. What the command reports is true, and once the faults are over, --resume settles every unknown
 * outcome.
 */
import type {ChildProcess} from 'node:child_process'
import fc from 'fast-check'
import {isNeverSent} from '../../../src/contract/journal.js'
import type {Finished} from '../../support/bookctl.js'
import {replyBytes, type Strike, type WireFault} from '../../support/wire.js'
import {deadlyEnv, killing} from '../kills/trial.js'
import {type Ground, openGround} from '../shared/crowd.js'
import {openSandbox} from '../shared/home.js'
import {owning, part} from '../shared/part.js'
import {booking, losing, parse, RESERVE, refusing, reservationsAt, shown, withState} from '../shared/scene.js'
import {serviceModel} from './commands.js'

const FAULTS = {
  'nothing wrong': undefined,
  'cut before it is passed on': losing(false),
  'the answer lost': losing(true),
  'the answer cut short': {forwards: true, play: reply => [replyBytes(reply).subarray(0, -40), 'end']},
  'answered 503, though it was done': refusing(true, 503, 'service_unavailable'),
  'answered 503': refusing(false, 503, 'service_unavailable'),
  'called in progress': refusing(false, 409, 'idempotency_in_progress'),
  'called too early': refusing(false, 425, 'too_early'),
} satisfies Record<string, WireFault | undefined>

const KILLS = ['once it is written down', 'before it is passed on', 'after it was done'] as const

interface Step {
  readonly does: 'reserve' | 'reserve unless booked' | 'resume'
  readonly offer: number
  readonly reference: number
  readonly fault: keyof typeof FAULTS
  /** Whether the fault applies to every attempt, or only to the first. */
  readonly always: boolean
  readonly kill: (typeof KILLS)[number] | undefined
}

const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom('reserve' as const, 'reserve unless booked' as const, 'resume' as const),
  offer: fc.nat(1),
  reference: fc.nat(1),
  fault: fc.constantFrom(...(Object.keys(FAULTS) as (keyof typeof FAULTS)[])),
  always: fc.boolean(),
  kill: fc.option(fc.constantFrom(...KILLS), {nil: undefined, freq: 4}),
})

const WRITTEN_DOWN = deadlyEnv({
  kind: 'point',
  point: {label: '^sql COMMIT .*INSERT INTO reservations', when: 'after'},
})

const nameOf = ({reference}: Step) => `consent-${reference}`

function argvOf(each: Step, offers: readonly string[]): string[] {
  const limits = ['--json', '--timeout', '3']
  if (each.does === 'resume') return ['reserve', '--resume', nameOf(each), ...limits]
  const unless = each.does === 'reserve unless booked' ? ['--unless-booked'] : []
  return booking(offers[each.offer], ['--client-reference', nameOf(each), ...unless, ...limits])
}

function strikeOf({fault, always, kill}: Step, killChild: () => void): Strike | undefined {
  if (kill && kill !== 'once it is written down')
    return {...RESERVE, fault: killing(kill === 'after it was done' ? 'acted' : 'read', killChild)}
  const chosen = FAULTS[fault]
  return chosen && {...RESERVE, fault: chosen, ...(always ? {} : {nth: 1})}
}

const entriesOf = ({home}: Ground) => withState(home.configDirectory, ({journal}) => journal.list())
const isOpen = ({outcome}: {outcome: string}) => outcome === 'unresolved' || outcome === 'unknown'

/** Checks that no offer is reserved twice, and no consent makes two reservations. */
async function checkCounts({side}: Ground): Promise<string[]> {
  const made = await side.reservations()
  const isTwice = (key: string) => new Set(made.map(each => each[key])).size < made.length
  return ['offer_id', 'client_reference_id'].filter(isTwice).map(key => `two reservations of one ${key}`)
}

/** Returns what is wrong with the report of the command and the entry in the journal. */
async function checkOutcome(ground: Ground, each: Step, finished: Finished): Promise<string[]> {
  const {exit, stdout} = finished
  const [made] = await ground.side.reservations(nameOf(each))
  const entry = (await entriesOf(ground)).find(({clientReferenceId}) => clientReferenceId === nameOf(each))
  const ref = made?.reservation_ref
  const problems = [
    [![0, 2, 5, 6, 7, 10, 'SIGKILL'].includes(exit as number), `exit ${exit}`],
    [exit === 0 && parse(stdout)?.reservation?.reservation_ref !== ref, `another reservation than ${ref}`],
    [exit === 10 && !(entry && isOpen(entry)), `exit 10, and the journal says ${entry?.outcome}`],
    [ref && entry && !isOpen(entry) && entry.reservationRef !== ref, `the journal lost ${ref}`],
    [!ref && entry?.reservationRef, `the journal has ${entry?.reservationRef}, which was never made`],
  ] as const
  return problems.flatMap(([isWrong, text]) => (isWrong ? [text, shown(finished)] : []))
}

async function perform(ground: Ground, each: Step, offers: readonly string[]): Promise<string[]> {
  const {home, wire} = ground
  let child: ChildProcess | undefined
  const entry = (await entriesOf(ground)).find(({clientReferenceId}) => clientReferenceId === nameOf(each))
  const isUnsent = each.does === 'resume' && entry !== undefined && isNeverSent(entry)
  const isBooked = each.does === 'reserve unless booked' && typeof entry?.reservationRef === 'string'
  const before = reservationsAt(ground.wire).length
  wire.strike = strikeOf(each, () => void child?.kill('SIGKILL'))
  const finished = await home.run(argvOf(each, offers), {
    env: each.kill === 'once it is written down' ? WRITTEN_DOWN : {},
    onStart: started => {
      child = started
    },
  })
  wire.strike = undefined
  const sent = reservationsAt(ground.wire).length - before
  const isWrong = isUnsent && (finished.exit !== 2 || sent > 0)
  return [
    ...(isWrong ? [`never sent, it is resumed with exit ${finished.exit} and ${sent} requests`] : []),
    ...(isBooked && (finished.exit !== 0 || sent > 0)
      ? [`booked before, --unless-booked ends with ${finished.exit} and ${sent} requests`]
      : []),
    ...(await checkCounts(ground)),
    ...(await checkOutcome(ground, each, finished)),
  ]
}

/** Once the faults are over, --resume settles every unknown outcome, and journal and service agree. */
async function settle(ground: Ground): Promise<string[]> {
  for (const {clientReferenceId} of (await entriesOf(ground)).filter(isOpen))
    await ground.home.run(['reserve', '--resume', clientReferenceId, '--json'])
  const entries = await entriesOf(ground)
  const made = (await ground.side.reservations()).map(({reservation_ref}) => reservation_ref).sort()
  const kept = entries.flatMap(({reservationRef}) => reservationRef ?? []).sort()
  return [
    ...(entries.some(isOpen) ? ['something is still open'] : []),
    ...(kept.join() === made.join() ? [] : [`the journal has ${kept}, the service ${made}`]),
    ...(await checkCounts(ground)),
  ]
}

/** Sequences of steps on the sandbox at `origin`. */
const clientModel = (origin: string) =>
  fc.asyncProperty(fc.array(step, {minLength: 1, maxLength: 6, size: 'max'}), steps =>
    owning(async own => {
      const ground = await openGround(own, origin, 1)
      const offers = (await ground.side.offers(2)).map(({offer_id}) => offer_id)
      const wrong: string[] = []
      for (const each of steps) if (wrong.length === 0) wrong.push(...(await perform(ground, each, offers)))
      if (wrong.length === 0) wrong.push(...(await settle(ground)))
      if (wrong.length > 0) throw new Error(wrong.join('\n'))
    }),
  )

/** Each model with the numbers of runs in a sample and in a cell, and the number of cells. */
const MODELS = {
  'the service': {model: serviceModel, sampleRuns: 3, runs: 100, cells: 12},
  'one reservation a consent': {model: clientModel, sampleRuns: 1, runs: 10, cells: 10},
} satisfies Record<string, object>

export const models = part({
  title: 'Models',
  unit: 'runs',
  cells: Object.entries(MODELS).flatMap(([group, {model, sampleRuns, runs, cells}]) =>
    Array.from({length: cells + 1}, (_, n) => ({
      name: n === 0 ? `${group}, a sample` : `${group}, ${n} of ${cells}`,
      group,
      isSample: n === 0,
      async run({origin}: {origin: string}, seed: number) {
        const count = n === 0 ? sampleRuns : runs
        const property: fc.IRawProperty<unknown> = model(origin)
        const found = await fc.check(property, {seed: seed + n, numRuns: count})
        const wrong = [String(found.errorInstance), fc.defaultReportMessage(found) ?? '']
        return {count, wrong: found.failed ? wrong : []}
      },
    })),
  ),
  open: openSandbox,
  atOnce: 1,
})
