/** What is done to one process before, between and after: a scene is made anew for every kill. */
import type {Finished} from '../support/bookctl.js'
import type {CrashPoint} from './crash-points.js'
import {type Death, runToDeath, type Victim} from './kill.js'
import type {Lane} from './kill-lane.js'

export interface Subject {
  /** As in the table, and in the names of the cells. */
  readonly name: string
  readonly points: readonly CrashPoint[]
  /** How many kills at random moments it gets in the long form. */
  readonly randomKills: number
  /** It works in several threads, whose calls cannot be counted as one row. */
  readonly hasThreads?: boolean
  /** Makes all that has to be there before; `random` (0 to 1) chooses where there is a choice. */
  open(lane: Lane, random: () => number): Promise<Scene>
}

export interface Scene {
  /** Runs it to its death, or to its end if that comes first; that exit is then 0. */
  die(death: Death): Promise<Finished>
  /** Looks at what the dead left, before anything else runs; returns what is wrong. */
  afterDeath(died: Finished): Promise<string[]> | string[]
  /** Runs it again, as somebody would, and looks at what came of both. */
  again(): Promise<string[]>
  close(): Promise<void>
}

/** The ends of a scene in which one command runs to its end. */
export function ofOneCommand(victim: Victim): Pick<Scene, 'die' | 'close'> {
  return {
    die: death => runToDeath(victim, death),
    async close() {
      await victim.proxy.close()
      victim.home.remove()
    },
  }
}
