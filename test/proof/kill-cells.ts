/** The cells of the crash harness: what is killed, and where. Each is done on a lane of its own that does one at a time. */
import {createHash} from 'node:crypto'
import {Lane} from './kill-lane.js'
import {type Killed, kill} from './kill-run.js'
import type {Subject} from './kill-scene.js'
import {SUBJECTS} from './kill-subjects.js'

export interface KillCell {
  readonly name: string
  readonly subject: Subject
  /** Does its kills one after the other, and tells of each. */
  run(lane: Lane, seed: number, tell: (killed: Killed) => void): Promise<void>
}

/** How often each named point has its turn in the long form, and how many kills at random are one cell. */
const ROUNDS = 2
const RANDOM_OF_A_CELL = 10
/** How many points of each subject are in the short form, and how many kills at random of those that get the most of them. */
const SHORT_POINTS = 2
const SHORT_RANDOM_KILLS = 2
const MANY_RANDOM_KILLS = 160

export function allKillCells(): KillCell[] {
  return SUBJECTS.flatMap(subject => [
    ...subject.points.flatMap(point =>
      Array.from({length: ROUNDS}, (_, round) => pointCell(subject, point, round + 1)),
    ),
    ...(subject.hasThreads ? [] : [boundaryCell(subject)]),
    ...Array.from({length: Math.ceil(subject.randomKills / RANDOM_OF_A_CELL)}, (_, n) =>
      randomCell(subject, n + 1, RANDOM_OF_A_CELL),
    ),
  ])
}

/** Some points of every subject, evenly spread, and some moments at random of those that do the most at once. */
export function shortKillCells(): KillCell[] {
  const atPoints = SUBJECTS.flatMap(subject => {
    const step = subject.points.length / SHORT_POINTS
    return Array.from({length: SHORT_POINTS}, (_, n) => subject.points[Math.floor((n + 0.5) * step)])
      .filter(point => point !== undefined)
      .map(point => pointCell(subject, point, 1))
  })
  const atRandom = SUBJECTS.filter(({randomKills}) => randomKills >= MANY_RANDOM_KILLS)
  return [...atPoints, ...atRandom.map(subject => randomCell(subject, 0, SHORT_RANDOM_KILLS))]
}

function pointCell(subject: Subject, point: Subject['points'][number], round: number): KillCell {
  const name = `${subject.name} × ${point.name}, round ${round}`
  return {
    ...{name, subject},
    async run(lane, seed, tell) {
      // The second round goes the other way wherever the first had a choice of two.
      const random = randomOf(seed, `${subject.name} × ${point.name}`)
      const other = () => 1 - 2 ** -32 - random()
      const killed = await kill(lane, subject, {kind: 'point', point}, round % 2 === 0 ? other : random)
      tell(killed.killed ? killed : {...killed, wrong: [...killed.wrong, 'the point was never reached']})
    },
  }
}

/** Calls are killed one after the other, until it comes to its end alive. */
function boundaryCell(subject: Subject): KillCell {
  const name = `${subject.name} × every call`
  return {
    ...{name, subject},
    async run(lane, seed, tell) {
      const random = randomOf(seed, name)
      for (let boundary = 1; ; boundary++) {
        const killed = await kill(lane, subject, {kind: 'boundary', boundary}, random)
        tell({...killed, wrong: killed.wrong.map(text => `at call ${boundary}: ${text}`)})
        if (!killed.killed) return
      }
    },
  }
}

/** A run that nobody kills says how long there is; one that ends before its death says that it was shorter. */
function randomCell(subject: Subject, n: number, count: number): KillCell {
  const name = `${subject.name} × at random, ${n}`
  return {
    ...{name, subject},
    async run(lane, seed, tell) {
      const random = randomOf(seed, name)
      let {milliseconds: whole} = await kill(lane, subject, {kind: 'never'}, random)
      for (let done = 0, tries = 0; done < count && tries < 3 * count; tries++) {
        const milliseconds = (0.05 + 0.95 * random()) * whole
        const killed = await kill(lane, subject, {kind: 'time', milliseconds}, random)
        if (killed.killed) done++
        else whole = Math.min(whole, killed.milliseconds)
        tell({...killed, wrong: killed.wrong.map(text => `after ${milliseconds.toFixed(0)} ms: ${text}`)})
      }
    },
  }
}

/** Numbers from 0 up to 1, the same each time for a seed and a name. */
export function randomOf(seed: number, name: string): () => number {
  let state = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE(0)
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export interface CellKills {
  /** How many were alive when they were killed. */
  readonly kills: number
  readonly wrong: readonly string[]
}

/** Runs `cells` on `lanes` lanes; `tell` hears of each cell when it ends. */
export async function runKillCells(
  cells: readonly KillCell[],
  options: {readonly seed: number; readonly lanes: number},
  tell: (cell: KillCell, told: CellKills) => void,
): Promise<void> {
  const waiting = [...cells]
  const work = async () => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift())
      tell(cell, await runCell(cell, options.seed))
  }
  await Promise.all(Array.from({length: options.lanes}, work))
}

async function runCell(cell: KillCell, seed: number): Promise<CellKills> {
  const wrong: string[] = []
  let kills = 0
  const lane = await Lane.start()
  try {
    await cell.run(lane, seed, killed => {
      if (killed.killed) kills++
      wrong.push(...killed.wrong)
    })
  } catch (error) {
    wrong.push(`the cell itself failed: ${(error as Error).stack}`)
  } finally {
    await lane.close()
  }
  return {kills, wrong}
}
