/** The manifest of the built commands, without hidden commands and global flags. */
import {readFileSync} from 'node:fs'
import {globalFlags} from '../../src/cli/shell/global-flags.js'

export interface ManifestFlag {
  readonly type: string
  readonly char?: string
  readonly env?: string
  readonly summary?: string
  readonly options?: readonly string[]
  readonly multiple?: boolean
  readonly required?: boolean
  readonly default?: unknown
}

export interface ManifestCommand {
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly examples: readonly string[]
  readonly hidden?: boolean
  readonly args: Readonly<Record<string, {readonly required?: boolean}>>
  /** Flags of this command, without the global ones. */
  readonly flags: Readonly<Record<string, ManifestFlag>>
}

const {commands} = JSON.parse(
  readFileSync(new URL('../../dist/oclif.manifest.json', import.meta.url), 'utf8'),
) as {commands: Record<string, ManifestCommand>}

/** The commands by id, such as `hotels:search`, in the order of the manifest. */
export const COMMANDS: Readonly<Record<string, ManifestCommand>> = Object.fromEntries(
  Object.entries(commands)
    .filter(([, command]) => !command.hidden)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([id, command]) => [id, {...command, flags: ownFlags(command.flags)}]),
)

function ownFlags(flags: ManifestCommand['flags']): ManifestCommand['flags'] {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => !Object.hasOwn(globalFlags, name)))
}
