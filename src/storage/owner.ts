/**
 * A name for the running process, by which another can tell whether it still runs: its pid, when it started, and where
 * that pid means anything. Two containers may share a directory: neither sees the other's processes.
 */
import {readFileSync, readlinkSync} from 'node:fs'
import {hostname} from 'node:os'
import process from 'node:process'

// `crypto` is the global one: to import the module costs a start two milliseconds.

/** `elsewhere`: on another host, or in another PID namespace, so that it cannot be told from here. */
export type OwnerFate = 'running' | 'gone' | 'elsewhere'

/** Different for every process, also when a pid comes again: four words with colons between them, of `[A-Za-z0-9._-]`. */
export function createOwner(): string {
  return [process.pid, startOf(process.pid) ?? '', crypto.randomUUID(), place()].join(':')
}

/** What became of the process that made `owner`. `self` is this process's own; another of its pid is gone. */
export function fateOf(owner: string, self: string): OwnerFate {
  if (owner === self) return 'running'
  const [pid = '', started = '', , where] = owner.split(':')
  // Those made before there was a word for the place have none.
  if (where !== undefined && where !== place()) return 'elsewhere'
  if (Number(pid) === process.pid || !isRunning(Number(pid))) return 'gone'
  return started === '' || startOf(Number(pid)) === started ? 'running' : 'gone'
}

let known: string | undefined

/** The PID namespace, where the system has such, and the host. */
function place(): string {
  known ??= `${namespace()}-${hostname()
    .replace(/[^A-Za-z0-9.]/g, '_')
    .slice(0, 64)}`
  return known
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  } catch {
    return ''
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Ticks from boot to the start of `pid`, where the system tells. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in brackets may hold blanks; the start is field 22.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
