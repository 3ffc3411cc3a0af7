/**
 * Kills: whatever changes something is killed with SIGKILL, at every call by which it does, at every moment of every
 * request, and at random; then it is run again. One reservation and one debit, nothing acknowledged is lost, no file is
 * cut, and nothing of people or secrets stays that should be gone. What is killed, and what must hold then, is in
 * bookings.ts and access.ts; how one kill is done in trial.ts and preload.cjs.
 */
import {startSandbox} from '../../support/sandbox.js'
import {type Cell, part} from '../shared/part.js'
import {Side, shown} from '../shared/scene.js'
import {ACCESS} from './access.js'
import {BOOKINGS, RECEIVERS} from './bookings.js'
import type {Death, Subject} from './trial.js'
import {goWay, type Killed, once, type Way, waysToKill} from './ways.js'

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

/** A cell on a ground of its own. */
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

/** One kill of each kind, late enough for something to have been done. */
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
  open: async () => ({close: async () => {}}),
})
