/**
 * Plans a service file of `webhooks service`: the command line of `webhooks listen`, and the facts about it that the
 * file needs.
 */
import {basename, resolve} from 'node:path'
import process from 'node:process'
import type {InferredFlags} from '@oclif/core/interfaces'
import {listenFlags, USUAL_PORT} from './listen-flags.js'

// Flags that a service must not have: a service must not end by itself or read standard input, and --subscribe would
// create a subscription at every start.
const {
  'print-secret': _printSecret,
  'secret-stdin': _secretStdin,
  'dry-run': _dryRun,
  'exit-after': _exitAfter,
  within: _within,
  expect: _expect,
  subscribe: _subscribe,
  'public-url': _publicUrl,
  ...servedFlags
} = listenFlags

/** The flags of `webhooks listen` that a service may have. */
export {servedFlags}

type ServedFlags = InferredFlags<typeof servedFlags> & {
  readonly profile?: string | undefined
  readonly 'ca-file'?: string | undefined
}

/** A flag of `webhooks listen` as it was typed. */
export interface TypedFlag {
  readonly name: string
  /** Undefined for a flag without a value. */
  readonly value?: string
}

/** The facts from which a service file is made. */
export interface ServicePlan {
  readonly version: string
  /** The flags of `webhooks listen`, with absolute paths. */
  readonly flags: readonly TypedFlag[]
  readonly host: string
  readonly port: number
  /** Port of --admin; undefined if it was not typed or is 0. */
  readonly adminPort: number | undefined
  readonly isTls: boolean
  /** The URLs of --forward-to. */
  readonly targets: readonly string[]
  /** Seconds of --drain. */
  readonly drain: number
  /** The files to read: those of --secret-file, --cert, --key and --ca-file. */
  readonly files: readonly string[]
  /** The file of --capture. */
  readonly capture: string | undefined
  /** The command line with which this program was started: node and the script. */
  readonly program: readonly string[]
}

const READ_FILES = ['secret-file', 'cert', 'key', 'ca-file']
/** Global flags that are passed on to `webhooks listen`. */
const GLOBALS = ['profile', 'ca-file']

type Token = {readonly type: string; readonly flag?: string; readonly input: string}

/** Returns the plan. `raw` has the flags as they were typed. */
export function planService(flags: ServedFlags, raw: readonly object[], version: string): ServicePlan {
  const typed = (raw as readonly Token[]).flatMap(({type, flag = '', input}): TypedFlag[] => {
    if (type !== 'flag' || !(flag in servedFlags || GLOBALS.includes(flag))) return []
    const definition = servedFlags[flag as keyof typeof servedFlags]
    if (definition?.type === 'boolean') return [{name: flag}]
    const isPath = READ_FILES.includes(flag) || flag === 'capture'
    return [{name: flag, value: isPath ? resolve(input) : input}]
  })
  const read = READ_FILES.flatMap(name => typed.find(flag => flag.name === name)?.value ?? [])
  return {
    version,
    flags: typed,
    host: flags.host,
    // A service needs a fixed port.
    port: flags.port || USUAL_PORT,
    adminPort: flags.admin?.port || undefined,
    isTls: flags.tls || flags.cert !== undefined,
    targets: (flags['forward-to'] ?? []).map(({url}) => url),
    drain: flags.drain ?? 0,
    files: [...new Set(read)],
    capture: flags.capture === undefined ? undefined : resolve(flags.capture),
    program: [process.execPath, ...process.argv.slice(1, 2)],
  }
}

/**
 * Returns the command line of `webhooks listen`, with one line for each flag. `changes` replaces the values of flags;
 * null leaves a flag out.
 */
export function listenLines(
  flags: readonly TypedFlag[],
  changes: Readonly<Record<string, string | null>> = {},
): string[][] {
  const kept = flags.filter(({name}) => !(name in changes))
  const added = Object.entries(changes).filter((entry): entry is [string, string] => entry[1] !== null)
  return [
    ['webhooks', 'listen'],
    ...added.map(([name, value]) => [`--${name}`, value]),
    ...kept.map(({name, value}) => (value === undefined ? [`--${name}`] : [`--${name}`, value])),
  ]
}

/** Returns the path of a file in a container: in a directory at which a volume or a secret is mounted. */
export const placeInContainer = (directory: string, path: string) => `${directory}/${basename(path)}`
