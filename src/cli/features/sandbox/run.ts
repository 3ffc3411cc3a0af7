/**
 * Implements `sandbox run`: runs a command with the environment of a sandbox, forwards signals, and leaves no process
 * behind.
 */
import {type ChildProcess, spawn} from 'node:child_process'
import {randomUUID} from 'node:crypto'
import {once} from 'node:events'
import {constants} from 'node:os'
import process from 'node:process'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {invalid} from '../../input/checks.js'
import {endProcesses, RUN_MARK} from './processes.js'

/** Returns a prefix for variable names. Throws a usage error if no variable name can begin with it. */
export function checkPrefix(field: string, text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(text)) return text
  throw invalid(field, 'must be letters, digits and _, and start with a letter', text, 'for example PARTNER')
}

/**
 * Returns the environment variables that point programs at a sandbox: those of this program and, if there is a prefix,
 * the same with that prefix.
 */
export function variablesOf(
  values: Readonly<Record<'base_url' | 'client_id' | 'client_secret', string>>,
  prefix: string | undefined,
): Record<string, string> {
  const prefixes = prefix === undefined ? ['BOOKCTL'] : ['BOOKCTL', prefix]
  const named = prefixes.flatMap(each =>
    Object.entries(values).map(([name, value]) => [`${each}_${name.toUpperCase()}`, value]),
  )
  return Object.fromEntries(named)
}

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

/**
 * Runs `command` on the terminal of this process, with the additional variables `env`. Resolves with its exit code, or
 * with 128 + the number of the signal that ended it. Forwards the signals that this process receives. If the command or
 * this process is killed, the processes that the command started are ended too. Throws a usage error if the command
 * cannot be started.
 */
export async function runCommand([name = '', ...args]: readonly string[], env: Record<string, string>) {
  const mark = randomUUID()
  const guard = startGuard(mark)
  const child = spawn(name, args, {
    stdio: 'inherit',
    env: {...process.env, ...env, [RUN_MARK]: mark},
  })
  guard.stdin?.write(`${child.pid ?? ''}\n`)
  const forward = (signal: NodeJS.Signals) => {
    // The terminal sends the signal of a key to both processes.
    const isKey = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT')
    if (!isKey) child.kill(signal)
  }
  for (const signal of FORWARDED) process.on(signal, forward)
  try {
    const [code, signal] = await ended(child, name)
    if (signal !== null) await endProcesses(mark, undefined)
    return code ?? 128 + (constants.signals[signal ?? 'SIGKILL'] ?? 0)
  } finally {
    for (const signal of FORWARDED) process.off(signal, forward)
    await dismiss(guard)
  }
}

async function ended(child: ChildProcess, name: string): Promise<[number | null, NodeJS.Signals | null]> {
  try {
    return (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException
    const problems: Readonly<Record<string, string>> = {
      ENOENT: 'command not found',
      EACCES: 'it is not an executable file',
    }
    const shown = sanitizeLine(name, 200)
    const hint = 'a command with its arguments follows --, for example: bookctl sandbox run -- npm test'
    throw usage('command_not_started', `cannot run "${shown}": ${problems[code ?? ''] ?? message}`, hint)
  }
}

/**
 * Starts the guard in its own session, so that no key at the terminal ends it, and without the mark of an outer run.
 */
function startGuard(mark: string): ChildProcess {
  const url = import.meta.url
  const isSource = url.endsWith('.ts')
  const file = isSource
    ? new URL('./run-guard.ts', url)
    : new URL(url.replace(/(.*\/dist\/).*/, '$1cli/features/sandbox/run-guard.js'))
  const loader = isSource ? ['--import', import.meta.resolve('tsx')] : []
  const guard = spawn(process.execPath, [...loader, file.pathname, mark], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {...process.env, [RUN_MARK]: undefined},
  })
  guard.stdin?.on('error', () => {})
  return guard.on('error', () => {})
}

async function dismiss(guard: ChildProcess): Promise<void> {
  if (guard.pid === undefined || guard.exitCode !== null || guard.signalCode !== null) return
  const gone = once(guard, 'exit')
  guard.stdin?.end('done')
  await gone
}
