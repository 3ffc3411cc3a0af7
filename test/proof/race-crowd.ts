/** Many processes of the built binary that truly meet: each is held at a gate until all have come there. */
import type {ChildProcess} from 'node:child_process'
import {execFileSync} from 'node:child_process'
import {closeSync, constants, mkdtempSync, openSync, readdirSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import type {Finished, Home} from '../support/bookctl.js'

const GATE = new URL('./race-gate.mjs', import.meta.url).href
/** Ours: fifty processes on two busy cores need some time to load. */
const GATHERING_MILLISECONDS = 120_000

export interface CrowdOptions {
  /** The gate stands before the first touch of a path with this in it; of the configuration directory unless told. */
  readonly at?: string
  /** Told of each child as it starts, for those who stop some. */
  readonly onStart?: (child: ChildProcess, index: number) => void
  /** Called when all are let go. */
  readonly onGo?: () => void
}

/** Runs `bookctl ...argv` of each member, all at once, to their ends; the results in the same order. */
export async function crowd(
  home: Home,
  members: readonly (readonly string[])[],
  {at = home.configDirectory, onStart, onGo}: CrowdOptions = {},
): Promise<Finished[]> {
  const gate = mkdtempSync(join(tmpdir(), 'bookctl-gate-'))
  const pipe = join(gate, 'gate')
  execFileSync('mkfifo', [pipe])
  const env = {NODE_OPTIONS: `--import ${GATE}`, PROOF_GATE: gate, PROOF_GATE_AT: at}
  let ended = 0
  const running = members.map(async (argv, index) => {
    const finished = await home.run(argv, {
      ...{env, limitMilliseconds: 2 * GATHERING_MILLISECONDS},
      onStart: child => onStart?.(child, index),
    })
    ended++
    return finished
  })
  try {
    const waiting = () => readdirSync(gate).length - 1
    for (const began = performance.now(); waiting() + ended < members.length; await sleep(10)) {
      if (performance.now() - began > GATHERING_MILLISECONDS) break
    }
    // Opened for both, so that it does not wait for readers; who comes later finds it open.
    const opened = openSync(pipe, constants.O_RDWR)
    const met = waiting()
    onGo?.()
    const results = await Promise.all(running)
    closeSync(opened)
    if (met < members.length) throw new Error(`only ${met} of ${members.length} met; ${firstWords(results)}`)
    return results
  } finally {
    rmSync(gate, {recursive: true, force: true})
  }
}

function firstWords(results: readonly Finished[]): string {
  return [...new Set(results.map(({exit, stdout, stderr}) => `${exit} ${stdout}${stderr}`.slice(0, 200)))]
    .slice(0, 3)
    .join(' | ')
}

/** What no process may ever end with, and exits other than those allowed: one line for each kind of end. */
export function wrongEnds(finished: readonly Finished[], allowed: readonly Finished['exit'][]): string[] {
  const kinds = new Map<string, number>()
  for (const {exit, stdout, stderr} of finished) {
    const text = `${stdout} ${stderr}`.replaceAll(/\s+/g, ' ')
    const isBad = !allowed.includes(exit) || exit === 1 || /\blocked\b|SQLITE|^ +at /im.test(text)
    if (!isBad) continue
    const kind = `exit ${exit}: ${text.slice(0, 300)}`
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  return [...kinds].slice(0, 5).map(([kind, count]) => `${count} × ${kind}`)
}
