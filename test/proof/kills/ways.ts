/** The ways in which one thing is killed: at every call, at every moment of every request, and at random. */
import {createHash} from 'node:crypto'
import {type Death, MOMENTS, type Subject} from './trial.js'

/** Numbers from 0 to 1, the same each time for a seed and a name. */
function randomOf(seed: number, name: string): () => number {
  let n = 0
  const digestOf = (text: string) => createHash('sha256').update(text).digest()
  return () => digestOf(`${seed} ${name} ${n++}`).readUInt32LE(0) / 2 ** 32
}

export interface Killed {
  /** False if it ended by itself first. */
  readonly isKilled: boolean
  readonly milliseconds: number
  readonly wrong: readonly string[]
}

/** Kills as often as it likes. */
export type Way = (kill: (death: Death) => Promise<Killed>, random: () => number) => Promise<void>

export const once =
  (death: Death): Way =>
  async kill => {
    if (!(await kill(death)).isKilled) throw new Error('it was not killed')
  }

const KILLS_OF_A_CELL = 10

const atRandom: Way = async (kill, random) => {
  // The time of a run that is not killed; one that ends before its death shows that it was shorter.
  let {milliseconds: whole} = await kill({kind: 'never'})
  for (let done = 0, tries = 0; done < KILLS_OF_A_CELL && tries < 3 * KILLS_OF_A_CELL; tries++) {
    const killed = await kill({kind: 'time', milliseconds: (0.05 + 0.95 * random()) * whole})
    if (killed.isKilled) done++
    else whole = Math.min(whole, killed.milliseconds)
  }
}

/** At every place of one kind, in their order, until it ends by itself. */
const atEvery =
  (deathAt: (nth: number) => Death): Way =>
  async kill => {
    for (let nth = 1; (await kill(deathAt(nth))).isKilled; ) nth++
  }

/** `points`: in place of every call, where there is no order of calls. */
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

/** Goes a way with `kill`: how many were killed, and what was wrong. All that is random follows from seed and name. */
export async function goWay(
  way: Way,
  seed: number,
  name: string,
  kill: (death: Death, random: () => number) => Promise<Killed>,
) {
  const random = randomOf(seed, name)
  let count = 0
  const wrong: string[] = []
  await way(async death => {
    const killed = await kill(death, random)
    if (killed.isKilled) count++
    wrong.push(...killed.wrong)
    return killed
  }, random)
  return {count, wrong}
}
