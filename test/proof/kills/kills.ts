/**
 * Kills: every command that changes something is killed with SIGKILL at each call that changes something, at each moment of each
 * request, and at random; then it runs again. There is one reservation and one debit, nothing acknowledged is lost, files are
 * complete, and personal data and secrets are gone when they should be. bookings.ts and access.ts have the commands and what must
 * hold; trial.ts and preload.cjs do a single kill.
 */
import {createHash} from 'node:crypto'
import type {Finished} from '../../support/bookctl.js'
import {startSandbox} from '../../support/sandbox.js'
import {type Cell, part} from '../shared/part.js'
import {Side, shown} from '../shared/scene.js'
import {ACCESS} from './access.js'
import {BOOKINGS, RECEIVERS} from './bookings.js'
import {type Death, MOMENTS, type Subject} from './trial.js'

/** Returns a generator of numbers from 0 to 1, which depend only on the seed and the name. */
export function randomOf(seed: number, name: string): () => number {
  let n = 0
  const digestOf = (text: string) => createHash('sha256').update(text).digest()
  return () => digestOf(`${seed} ${name} ${n++}`).readUInt32LE(0) / 2 ** 32
}

/** A run until its death, or until its end if that came first. */
interface Run {
  readonly died: Finished
  readonly milliseconds: number
  /** What was wrong afterwards. */
  readonly wrong: readonly string[]
}

/** Calls `kill` as many times as it needs. */
export type Way = (
  kill: (death: Death) => Promise<{readonly isKilled: boolean; readonly milliseconds: number}>,
  random: () => number,
) => Promise<void>

export const once =
  (death: Death): Way =>
  async kill => {
    if (!(await kill(death)).isKilled) throw new Error('it was not killed')
  }

const KILLS_OF_A_CELL = 10

const atRandom: Way = async (kill, random) => {
  // Measures the duration of a run that is not killed. If a later run ends before its kill, the duration was shorter.
  let {milliseconds: whole} = await kill({kind: 'never'})
  for (let done = 0, tries = 0; done < KILLS_OF_A_CELL && tries < 3 * KILLS_OF_A_CELL; tries++) {
    const killed = await kill({kind: 'time', milliseconds: (0.05 + 0.95 * random()) * whole})
    if (killed.isKilled) done++
    else whole = Math.min(whole, killed.milliseconds)
  }
}

/** Kills at the first, second and each later place of one kind, until the command ends by itself. */
const atEvery =
  (deathAt: (nth: number) => Death): Way =>
  async kill => {
    for (let nth = 1; (await kill(deathAt(nth))).isKilled; ) nth++
  }

/** `points` replace the single calls of a command whose calls have no fixed order. */
export function waysToKill({
  randomKills,
  makesRequests,
  points,
}: Pick<Subject, 'randomKills' | 'makesRequests' | 'points'>): [what: string, way: Way][] {
  const count = Math.ceil(randomKills / KILLS_OF_A_CELL)
  return [
    ...(points ?? []).map((point): [string, Way] => [
      `${point.when} ${point.label}, ${point.nth ?? 1}`,
      once({kind: 'point', point}),
    ]),
    ...(points ? [] : [['at every call', atEvery(call => ({kind: 'call', call}))] as [string, Way]]),
    ...(makesRequests ? MOMENTS : []).map((moment): [string, Way] => [
      `at every request ${moment}`,
      atEvery(nth => ({kind: 'request', nth, moment})),
    ]),
    ...Array.from({length: count}, (_, n): [string, Way] => [`at random, ${n + 1}`, atRandom]),
  ]
}

/**
 * Calls `way` with a function that kills once. Returns the number of kills and what was wrong. All random choices follow from
 * seed and name.
 */
export async function goWay(
  way: Way,
  seed: number,
  name: string,
  kill: (death: Death, random: () => number) => Promise<Run>,
) {
  const random = randomOf(seed, name)
  let count = 0
  const wrong: string[] = []
  await way(async death => {
    const {died, milliseconds, wrong: found} = await kill(death, random)
    const isKilled = died.exit === 'SIGKILL'
    if (isKilled) count++
    const all = isKilled || died.exit === 0 ? found : [...found, `ended by itself with ${died.exit}`]
    if (all.length > 0) wrong.push(...all, `killed at ${JSON.stringify(death)}`, shown(died))
    return {isKilled, milliseconds}
  }, random)
  return {count, wrong}
}

async function kill(subject: Subject, side: Side, death: Death, random: () => number): Promise<Run> {
  const trial = await subject.open(side, random)
  try {
    const began = performance.now()
    const died = await trial.die(death)
    const milliseconds = performance.now() - began
    return {died, milliseconds, wrong: [...(await trial.afterDeath(died)), ...(await trial.again())]}
  } finally {
    await trial.close()
  }
}

/** Returns a cell with a sandbox of its own. */
function cell(subject: Subject, what: string, way: Way) {
  const name = `${subject.name} × ${what}`
  const run = async (_: object, seed: number) => {
    const sandbox = await startSandbox({clock: () => Date.now() / 1000, allowHttpLoopback: true})
    const side = new Side(sandbox.origin)
    const killOnce = (death: Death, random: () => number) => kill(subject, side, death, random)
    return goWay(way, seed, name, killOnce).finally(() => sandbox.close())
  }
  return {name, group: subject.name, run}
}

/** One kill of each kind, late enough that something was done before. */
const SAMPLE: Readonly<Record<string, Death>> = {
  reserve: {kind: 'request', nth: 2, moment: 'acted'},
  login: {kind: 'call', call: 30},
  'webhooks listen': {kind: 'point', point: {label: '^net send HTTP/1.1 200', when: 'before'}},
}

const SUBJECTS = [...BOOKINGS, ...ACCESS, ...RECEIVERS]
const SAMPLES = SUBJECTS.filter(({name}) => name in SAMPLE).map(subject => ({
  ...cell(subject, 'once', once(SAMPLE[subject.name] as Death)),
  isSample: true,
}))

const CELLS: readonly Cell<object>[] = SUBJECTS.flatMap(subject =>
  waysToKill(subject).map(([what, way]) => cell(subject, what, way)),
)

export const kills = part({
  title: 'Kills',
  unit: 'kills',
  cells: [...SAMPLES, ...CELLS],
})
