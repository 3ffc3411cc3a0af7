/** What is done to one command before, between and after: a scene is made anew for every kill. */
import type {Finished} from '../support/bookctl.js'
import type {CrashPoint} from './crash-points.js'
import type {Victim} from './kill.js'
import type {Lane} from './kill-lane.js'

export interface Subject {
  /** As in the table, and in the names of the cells. */
  readonly name: string
  readonly points: readonly CrashPoint[]
  /** How many kills at random moments it gets in the long form. */
  readonly randomKills: number
  /** Makes all that has to be there before; `random` (0 to 1) chooses where there is a choice. */
  open(lane: Lane, random: () => number): Promise<Scene>
}

export interface Scene {
  readonly victim: Victim
  /** Looks at what the dead left, before anything else runs; returns what is wrong. */
  afterDeath(died: Finished): Promise<string[]> | string[]
  /** Runs it again, as somebody would, and looks at what came of both. */
  again(): Promise<string[]>
}
