/**
 * A batch gets SIGINT or SIGTERM: it begins no more trips, waits for those that were sent, and prints what became of each trip.
 * Then it is run again.
 */
import {isOpen} from '../../../src/contract/journal.js'
import type {Finished} from '../../support/bookctl.js'
import {randomOf} from '../kills/kills.js'
import type {Bench} from '../shared/bench.js'
import type {Cell} from '../shared/part.js'
import {parse, reservationsAt, shown} from '../shared/scene.js'
import {STORES, type StoreName} from '../shared/stores.js'
import {
  batchArgv,
  checkForms,
  checkMade,
  checkShown,
  documentOf,
  type Group,
  inTrials,
  madeAt,
  openGroup,
  runToEnd,
} from './group.js'
import {type Death, describe, oneOf, RESERVE, runUntil, SEARCH, upTo} from './kills.js'

const SIGNALS = {SIGINT: 130, SIGTERM: 143} as const
type Signal = keyof typeof SIGNALS

/** What was sent has 5 s to be answered; the rest is for a busy machine. */
const LONGEST_STOP_MILLISECONDS = 15_000

function momentOf(random: () => number, left: number): Death {
  const nth = upTo(Math.max(1, left), random)
  return oneOf<Death>(
    [
      {kind: 'later', path: RESERVE, nth, milliseconds: 20 * random()},
      {kind: 'later', path: SEARCH, nth, milliseconds: 20 * random()},
      {kind: 'time', milliseconds: 200 + (300 + 15 * left) * random()},
    ],
    random,
  )
}

/** Returns the references of trips that were sent and of which the journal has no outcome. */
async function openIn(group: Group): Promise<string[]> {
  const open = (await group.journal(group.home)).filter(entry => isOpen(entry) && entry.attempts > 0)
  return open.map(entry => entry.clientReferenceId)
}

/** Checks what a run says that was stopped, or ended before. `mayBeOpen`: the trips of which an answer was lost. */
async function checkStop(
  group: Group,
  stopped: Finished,
  signal: Signal,
  {hasSent, mayBeOpen}: {readonly hasSent: boolean; readonly mayBeOpen: (open: readonly string[]) => boolean},
): Promise<string[]> {
  const {exit, stdout, stderr} = stopped
  // Before its end, nothing of our code had run, or the file was being read.
  if (exit === signal && !hasSent && (stdout + stderr === '' || parse(stdout)?.error)) return []
  const made = await madeAt(group)
  const wrong = checkMade(group, made)
  if (exit !== SIGNALS[signal] && exit !== 0) wrong.push(`ends with ${exit}`)
  if (parse(stdout) === undefined) wrong.push('not one JSON document')
  const open = await openIn(group)
  if (!mayBeOpen(open)) wrong.push(`the journal does not know how ${open.join(' ')} ended`)
  const document = documentOf(stopped)
  if (document === undefined)
    return hasSent ? [...wrong, 'it has sent reservations and prints no summary'] : wrong
  const unknown = document.trips.filter(trip => trip.outcome === 'unknown')
  if (!mayBeOpen(unknown.map(trip => trip.client_reference_id)))
    wrong.push(`${unknown.length} are unknown, and every answer came`)
  return [...wrong, ...checkShown(group, document, made)]
}

async function trial(group: Group, signal: Signal, hangs: boolean, random: () => number) {
  const wrong: string[] = []
  const deaths: string[] = []
  let count = 0
  const argvOf = () => batchArgv('--parallel', String(oneOf([1, 4, 8], random)))
  let left = group.trips.length
  for (let stops = 1; stops <= 3 && left > 0 && wrong.length === 0; stops++) {
    const isHanging = hangs && stops === 1
    const death: Death = isHanging
      ? {kind: 'request', path: RESERVE, nth: upTo(30, random), moment: oneOf(['read', 'acted'], random)}
      : momentOf(random, left)
    const before = reservationsAt(group.wire).length
    const openBefore = await openIn(group)
    const stopped = await runUntil(group, group.home, argvOf(), death, signal)
    if (stopped.endedAfterMilliseconds > LONGEST_STOP_MILLISECONDS)
      wrong.push(`it ended ${stopped.endedAfterMilliseconds} ms after the signal`)
    if (stopped.exit === SIGNALS[signal] || stopped.exit === signal) count++
    deaths.push(`${describe(death)}: ${stopped.exit}`)
    const found = await checkStop(group, stopped, signal, {
      hasSent: reservationsAt(group.wire).length > before,
      mayBeOpen: open => (isHanging ? open.length <= 1 : open.every(each => openBefore.includes(each))),
    })
    if (found.length > 0) wrong.push(...found, shown(stopped))
    left = group.trips.length - (await madeAt(group)).length
  }
  const {last, wrong: atEnd} = await runToEnd(group, group.home, argvOf())
  const found = [...atEnd, ...checkForms(group.wire)]
  if (found.length > 0) wrong.push(...found, shown(last))
  return {count, wrong: wrong.length > 0 ? [...wrong, ...deaths] : []}
}

function cell(store: StoreName, signal: Signal, hangs: boolean, trials: number): Cell<Bench> {
  const name = `stop: ${store}, ${signal}${hangs ? ', an answer hangs' : ''}`
  return {
    name,
    group: `signals, ${store}`,
    async run(bench, seed) {
      const random = randomOf(seed, name)
      return inTrials(trials, async own =>
        trial(await openGroup(own, bench, store, {count: 30}), signal, hangs, random),
      )
    },
  }
}

export const STOPS: readonly Cell<Bench>[] = STORES.flatMap(store =>
  (['SIGINT', 'SIGTERM'] as const).flatMap(signal => [
    cell(store, signal, false, 5),
    cell(store, signal, true, 1),
  ]),
)
