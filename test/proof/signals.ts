/**
 * Signals: a reservation gets SIGINT, SIGTERM or SIGHUP near its end, when its outcome is known or about to be. Whenever the
 * signal comes, there is one JSON document, and it never says that nothing was booked if this run or an earlier one has booked.
 */
import {randomUUID} from 'node:crypto'
import type {Finished} from '../support/bookctl.js'
import {hasStack} from '../support/stack.js'
import type {WireFault} from '../support/wire.js'
import {type Cell, part} from './shared/part.js'
import {
  booking,
  CREDENTIALS,
  ending,
  losing,
  openScene,
  parse,
  RESERVE,
  refusing,
  type Scene,
  type Side,
  shown,
} from './shared/scene.js'
import {openWithStores, STORES, type StoreName, withoutPostgres} from './shared/stores.js'

const SIGNALS = {SIGHUP: 129, SIGINT: 130, SIGTERM: 143} as const
type Signal = keyof typeof SIGNALS

interface Bench {
  readonly side: Side
  store(name: StoreName): Promise<Record<string, string>>
}

interface Scenario {
  /** The exit code without a signal. */
  readonly exit: number
  /** The first signal comes after this fraction of a run. */
  readonly from: number
  readonly fault?: WireFault
  /** How an earlier run of the same command ended, if there was one. */
  readonly before?: {readonly exit: number; readonly fault?: WireFault}
  /** Whether the store cannot be reached when the signal comes. */
  readonly isAway?: boolean
}

const LOST = losing(true)
const LAST_FIFTH = 0.8
/** The fraction of a run after which all modules are loaded. Before that, a signal simply ends the process. */
const ALL_OF_IT = 0.3

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  success: {exit: 0, from: LAST_FIFTH},
  refusal: {exit: 5, from: LAST_FIFTH, fault: refusing(false, 422, 'invalid_guest')},
  unknown: {exit: 10, from: LAST_FIFTH, fault: LOST},
  'booked before': {exit: 0, from: ALL_OF_IT, before: {exit: 0}},
  'lost before': {exit: 0, from: ALL_OF_IT, before: {exit: 10, fault: LOST}},
  'booked before, the store is away': {exit: 7, from: ALL_OF_IT, before: {exit: 0}, isAway: true},
}

interface Run extends Finished {
  readonly milliseconds: number
  readonly reference: string
  /** The end of an earlier run. */
  readonly before: Finished | undefined
}

/** Runs a scenario once with a trip of its own, and sends `signal` after a number of milliseconds. */
async function runOnce(
  {home, wire}: Scene,
  side: Side,
  scenario: Scenario,
  after = 0,
  signal?: Signal,
): Promise<Run> {
  const reference = `signal-${randomUUID()}`
  const offer = await side.offer()
  const argv = booking(offer, ['--client-reference', reference, '--timeout', '3', '--json'])
  const play = (fault: WireFault | undefined) => {
    wire.strike = fault && {fault, ...RESERVE}
  }
  play(scenario.before?.fault)
  const before = scenario.before && (await home.run(argv))
  play(scenario.fault)
  // No server listens on this port.
  const env = scenario.isAway ? {BOOKCTL_STORE: 'postgres://postgres@127.0.0.1:9/none'} : {}
  let timer: NodeJS.Timeout | undefined
  const began = performance.now()
  const finished = await home.run(argv, {
    env,
    onStart(child) {
      if (signal) timer = setTimeout(() => child.kill(signal), after)
    },
  })
  clearTimeout(timer)
  await wire.answered()
  return {...finished, milliseconds: performance.now() - began, reference, before}
}

/** Returns the milliseconds of a run that is not stopped, the shortest of three. */
async function measure(scene: Scene, side: Side, scenario: Scenario): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 3; n++) {
    const run = await runOnce(scene, side, scenario)
    const {exit, before} = run
    if (before?.exit !== scenario.before?.exit) throw new Error(`the run before: ${before && shown(before)}`)
    if (exit !== scenario.exit) throw new Error(`without a signal: ${shown(run)}`)
    times.push(run.milliseconds)
  }
  return Math.min(...times)
}

const NOTHING_BOOKED = /nothing was booked|no reservation (was|exists|has been)|not booked/i

async function wrongIn(side: Side, scenario: Scenario, signal: Signal, run: Run): Promise<string[]> {
  const {exit, stdout, stderr, reference} = run
  // The signal came before any of our code ran.
  if (exit === signal && stdout + stderr === '') return []
  const text = stdout + stderr
  const says = scenario.isAway ? /cannot be looked up/ : /resume|journal|reservation_ref/
  const isMade = (await side.reservations(reference)).length > 0
  const wrong = [
    ...(exit === scenario.exit || exit === SIGNALS[signal] ? [] : [`exit ${exit}`]),
    ...(parse(stdout) === undefined ? ['not one JSON document'] : []),
    ...(hasStack(text) ? ['a stack trace'] : []),
    ...(isMade && NOTHING_BOOKED.test(text) ? ['NOTHING WAS BOOKED, it says, and it is booked'] : []),
    ...(isMade && !says.test(text) ? [`does not say ${says}`] : []),
  ]
  return wrong.map(each => `${each} (${ending(run)})`)
}

const RUNS = 20
/** Some signals come slightly after the measured end, because runs differ. */
const UNTIL = 1.1

function cell(store: StoreName, name: string, signal: Signal, runs: number, isSample = false): Cell<Bench> {
  const scenario = SCENARIOS[name] as Scenario
  return {
    name: `${store}: ${name} × ${signal}${isSample ? ', a few' : ''}`,
    group: `${store}: ${name}`,
    isSample,
    async run(bench, _, own) {
      const {side} = bench
      const env = {...CREDENTIALS, ...(await bench.store(store))}
      const scene = own(await openScene(side.origin, {env}))
      const whole = await measure(scene, side, scenario)
      const wrong: string[] = []
      for (let n = 0; n < runs; n++) {
        const share = scenario.from + ((UNTIL - scenario.from) * n) / runs
        const run = await runOnce(scene, side, scenario, share * whole, signal)
        const found = await wrongIn(side, scenario, signal, run)
        wrong.push(...found.map(text => `at ${share.toFixed(2)}: ${text}`))
      }
      return {count: runs, wrong}
    },
  }
}

const isMeant = (store: StoreName, name: string) => store !== 'files' || !SCENARIOS[name]?.isAway

export const signals = part<Bench>({
  title: 'Signals',
  unit: 'runs',
  cells: [
    cell('files', 'refusal', 'SIGINT', 3, true),
    ...STORES.flatMap(store =>
      Object.keys(SCENARIOS)
        .filter(name => isMeant(store, name))
        .flatMap(name => Object.keys(SIGNALS).map(signal => cell(store, name, signal as Signal, RUNS))),
    ),
  ],
  open: openWithStores,
  leftOut: withoutPostgres('signals'),
})
