/** Several runs of the same file at a time, of which some are killed: each trip is booked once. */
import type {ChildProcess} from 'node:child_process'
import {randomOf} from '../kills/kills.js'
import type {Bench} from '../shared/bench.js'
import {wrongEnds} from '../shared/crowd.js'
import {checkDatabases} from '../shared/home.js'
import type {Cell} from '../shared/part.js'
import {reservationsAt, shown} from '../shared/scene.js'
import {STORES, type StoreName} from '../shared/stores.js'
import {
  batchArgv,
  checkForms,
  checkKept,
  checkMade,
  checkShown,
  documentOf,
  type Group,
  inTrials,
  madeAt,
  openGroup,
  runToEnd,
} from './group.js'
import {oneOf} from './kills.js'

/** How many of the runs are killed. */
type Killed = 'none' | 'one' | 'all but one' | 'all'

function countOf(killed: Killed, count: number): number {
  if (killed === 'none') return 0
  if (killed === 'one') return 1
  return killed === 'all' ? count : count - 1
}

async function trial(group: Group, count: number, killed: Killed, random: () => number): Promise<string[]> {
  const {wire} = group
  const deadlines = Array.from({length: countOf(killed, count)}, () => 300 + 1200 * random())
  const runs = Array.from({length: count}, (_, index) => {
    const argv = batchArgv('--parallel', String(oneOf([1, 4, 8], random)))
    const machine = index === 0 ? group.home : group.machine(random)
    const milliseconds = deadlines[index]
    let child: ChildProcess | undefined
    const timer =
      milliseconds === undefined ? undefined : setTimeout(() => child?.kill('SIGKILL'), milliseconds)
    return machine
      .run(argv, {
        onStart: started => {
          child = started
        },
      })
      .finally(() => clearTimeout(timer))
  })
  const finished = await Promise.all(runs)
  await wire.quiet()
  const made = await madeAt(group)
  const living = finished.filter(({exit}) => exit !== 'SIGKILL')
  const wrong = [
    ...checkMade(
      group,
      made,
      living.some(({exit}) => exit === 0),
    ),
    ...checkForms(wire),
    ...checkKept(wire, await group.journal(group.home)),
    ...checkDatabases(group.home),
    ...wrongEnds(living, [0]),
  ]
  for (const run of living) {
    const document = documentOf(run)
    const found = document ? checkShown(group, document, made) : ['a run prints no result']
    if (found.length > 0 || run.exit !== 0) wrong.push(...found, shown(run))
  }
  const {last, wrong: atEnd} = await runToEnd(group, group.home, batchArgv())
  const found = [...atEnd, ...checkForms(wire)]
  if (found.length > 0) wrong.push(...found, shown(last))
  if (wrong.length > 0) wrong.push(`${reservationsAt(wire).length} requests, killed after ${deadlines} ms`)
  return wrong
}

function cell(
  store: StoreName,
  count: number,
  killed: Killed,
  trials: number,
  isSample = false,
): Cell<Bench> {
  const name = `runs: ${store}, ${count} at a time, ${killed} killed${isSample ? ', small' : ''}`
  return {
    name,
    group: `runs at a time, ${store}`,
    isSample,
    async run(bench, seed) {
      const random = randomOf(seed, name)
      return inTrials(trials, async (own, n) => {
        // With a slow service, each run finds trips that another one has sent.
        const latencyMilliseconds = n % 2 === 0 ? 60 : 0
        const options = isSample ? {count: 10} : {latencyMilliseconds}
        const group = await openGroup(own, bench, store, options)
        return {count, wrong: await trial(group, count, killed, random)}
      })
    },
  }
}

export const RUNS: readonly Cell<Bench>[] = [
  cell('files', 2, 'none', 1, true),
  ...STORES.flatMap(store =>
    [2, 3].flatMap(count =>
      (['none', 'one', 'all but one', 'all'] as const)
        .filter(killed => count > 2 || killed !== 'all but one')
        .map(killed => cell(store, count, killed, 2)),
    ),
  ),
]
