/** One kill with all that belongs to it, and the command run again after it. */
import type {Finished, Home} from '../support/bookctl.js'
import type {Death} from './kill.js'
import type {Lane} from './kill-lane.js'
import type {Subject} from './kill-scene.js'

/** Ours: whoever waits longer waits for the dead. */
const HELD_UP_MILLISECONDS = 30_000

export interface Killed {
  /** Whether it was alive until then; one that had ended by itself is not counted. */
  readonly killed: boolean
  /** How long it ran. */
  readonly milliseconds: number
  readonly wrong: readonly string[]
}

/** Makes a scene, kills in it, runs again, and finds what is wrong. */
export async function kill(
  lane: Lane,
  subject: Subject,
  death: Death,
  random: () => number,
): Promise<Killed> {
  const scene = await subject.open(lane, random)
  try {
    const began = performance.now()
    const died = await scene.die(death)
    const milliseconds = performance.now() - began
    const wrong = [...(await scene.afterDeath(died)), ...(await scene.again())]
    if (died.exit !== 'SIGKILL' && died.exit !== 0) wrong.push(`ended by itself with ${died.exit}`)
    return {
      killed: died.exit === 'SIGKILL',
      milliseconds,
      wrong: wrong.length === 0 ? [] : [...wrong, told(died)],
    }
  } finally {
    await scene.close()
  }
}

function told({exit, stdout, stderr}: Finished): string {
  return `  ${exit}: ${stdout.replaceAll(/\s+/g, ' ').slice(0, 300)} | ${stderr.slice(-300)}`
}

/** Runs with `--json`, and looks whether it had to wait for one that is dead. */
export async function runAgain(home: Home, argv: readonly string[]) {
  const began = performance.now()
  const done = await home.json<Record<string, unknown>>(argv)
  const wrong = performance.now() - began > HELD_UP_MILLISECONDS ? ['again it was held up'] : []
  return {...done, wrong}
}

/**
 * Runs another command, one that changes nothing but opens the same file to write: what a killed one left undone is done by
 * whatever is started next, not only by the same command. It ends with one of `exits`.
 */
export async function runAnother(
  home: Home,
  argv: readonly string[],
  exits: readonly number[] = [0],
): Promise<string[]> {
  const {exit, wrong} = await runAgain(home, argv)
  return exits.some(each => each === exit) ? wrong : [...wrong, `then ${argv.join(' ')} ends with ${exit}`]
}
