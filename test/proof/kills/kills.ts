/**
 * Kills: whatever changes something is killed with SIGKILL, at every call by which it does, at every moment of every
 * request, and at random; then it is run again. One reservation and one debit, nothing acknowledged is lost, no file is
 * cut, and nothing of people or secrets stays that should be gone. What is killed, and what must hold then, is in
 * bookings.ts and access.ts; how one kill is done in trial.ts and preload.cjs.
 */
import {createHash} from 'node:crypto'
import {startSandbox} from '../../support/sandbox.js'
import {type Cell, part} from '../shared/part.js'
import {Side, shown} from '../shared/scene.js'
import {ACCESS} from './access.js'
import {BOOKINGS, RECEIVERS} from './bookings.js'
import {type Death, MOMENTS, type Subject} from './trial.js'

/** Numbers from 0 to 1, the same each time for a seed and a name. */
export function randomOf(seed: number, name: string): () => number {
  let n = 0
  const digestOf = (text: string) => createHash('sha256').update(text).digest()
  return () => digestOf(`${seed} ${name} ${n++}`).readUInt32LE(0) / 2 ** 32
}

interface Killed {
  /** False if it ended by itself first. */
  readonly isKilled: boolean
  readonly milliseconds: number
  readonly wrong: readonly string[]
}

async function kill(subject: Subject, side: Side, death: Death, random: () => number): Promise<Killed> {
  const trial = await subject.open(side, random)
  try {
    const began = performance.now()
    const died = await trial.die(death)
    const milliseconds = performance.now() - began
    const isKilled = died.exit === 'SIGKILL'
    const wrong = [...(await trial.afterDeath(died)), ...(await trial.again())]
    if (!isKilled && died.exit !== 0) wrong.push(`ended by itself with ${died.exit}`)
    if (wrong.length > 0) wrong.push(`killed at ${JSON.stringify(death)}`, shown(died))
    return {isKilled, milliseconds, wrong}
  } finally {
    await trial.close()
  }
}

type KillAt = (death: Death) => Promise<Killed>

/** A cell on a ground of its own; `work` kills as often as it likes. */
function cell(subject: Subject, what: string, work: (kill: KillAt, random: () => number) => Promise<void>) {
  const name = `${subject.name} × ${what}`
  const run = async (_: object, seed: number) => {
    const random = randomOf(seed, name)
    const sandbox = await startSandbox({clock: () => Date.now() / 1000, allowHttpLoopback: true})
    const side = new Side(sandbox.origin)
    const wrong: string[] = []
    let count = 0
    const killOnce = async (death: Death) => {
      const killed = await kill(subject, side, death, random)
      if (killed.isKilled) count++
      wrong.push(...killed.wrong)
      return killed
    }
    await work(killOnce, random).finally(() => sandbox.close())
    return {count, wrong}
  }
  return {name, group: subject.name, run}
}

const KILLS_OF_A_CELL = 10

function cellsOf(subject: Subject): Cell<object>[] {
  const cells = (subject.points ?? []).map(point =>
    cell(subject, `${point.when} ${point.label}, ${point.nth ?? 1}`, async kill => {
      if (!(await kill({kind: 'point', point})).isKilled) throw new Error('the point was never reached')
    }),
  )
  if (!subject.points)
    cells.push(
      cell(subject, 'every call', async kill => {
        for (let call = 1; (await kill({kind: 'call', call})).isKilled; ) call++
      }),
    )
  if (subject.makesRequests)
    cells.push(
      ...MOMENTS.map(moment =>
        cell(subject, `every request ${moment}`, async kill => {
          for (let nth = 1; (await kill({kind: 'request', nth, moment})).isKilled; ) nth++
        }),
      ),
    )
  const count = Math.ceil(subject.randomKills / KILLS_OF_A_CELL)
  return [
    ...cells,
    ...Array.from({length: count}, (_, n) =>
      cell(subject, `at random, ${n + 1}`, async (kill, random) => {
        // The time of a run that is not killed; one that ends before its death shows that it was shorter.
        let {milliseconds: whole} = await kill({kind: 'never'})
        for (let done = 0, tries = 0; done < KILLS_OF_A_CELL && tries < 3 * KILLS_OF_A_CELL; tries++) {
          const killed = await kill({kind: 'time', milliseconds: (0.05 + 0.95 * random()) * whole})
          if (killed.isKilled) done++
          else whole = Math.min(whole, killed.milliseconds)
        }
      }),
    ),
  ]
}

/** One kill of each kind, late enough for something to have been done. */
const SAMPLE: Readonly<Record<string, Death>> = {
  reserve: {kind: 'request', nth: 2, moment: 'acted'},
  login: {kind: 'call', call: 30},
  'webhooks listen': {kind: 'point', point: {label: '^net send HTTP/1.1 200', when: 'before'}},
}

const SUBJECTS = [...BOOKINGS, ...ACCESS, ...RECEIVERS]
const SAMPLES = SUBJECTS.filter(({name}) => name in SAMPLE).map(subject => ({
  ...cell(subject, 'once', async kill => {
    if (!(await kill(SAMPLE[subject.name] as Death)).isKilled) throw new Error('it was not killed')
  }),
  isSample: true,
}))

export const kills = part({
  title: 'Kills',
  unit: 'kills',
  cells: [...SAMPLES, ...SUBJECTS.flatMap(cellsOf)],
  open: async () => ({close: async () => {}}),
})
