/**
 * Before any command, and before help: what is refused whatever was asked for. oclif goes on after an error in a hook
 * unless it says how to exit, so each one does here.
 */
import type {Hook} from '@oclif/core/hooks'
import {usage} from '../../../contract/failure.js'
import {holdsSecret} from '../../../contract/identifiers.js'
import {beforeDashes, CANDIDATES_WORD, isHelpFlag, splitArgv} from '../argv.js'
import {running} from '../running.js'

const init: Hook.Init = async ({id, argv, config}) => {
  if (id === CANDIDATES_WORD) return
  try {
    refuseSecrets(running.argv)
    if (id !== undefined && !config.findCommand(id) && config.findTopic(id)) await refuseFlags(argv)
  } catch (error) {
    // Any number but 0: which one it is to be is decided in failure.ts.
    throw Object.assign(error as Error, {oclif: {exit: 1}})
  }
}

export default init

/** A secret on the command line is in the process list and the shell's history already; it is not used or echoed. */
function refuseSecrets(argv: readonly string[]): void {
  if (!argv.some(holdsSecret)) return
  throw usage(
    'secret_on_command_line',
    'secrets are not accepted as arguments: they show in the process list and the shell history',
    'use --client-secret-stdin, --client-secret-file or BOOKCTL_CLIENT_SECRET, and consider renewing the secret',
  )
}

/** A group takes no flags but those of every command: oclif would show its help and not look at them. */
async function refuseFlags(argv: readonly string[]): Promise<void> {
  const {rest} = splitArgv(argv)
  if (rest[0] === undefined || beforeDashes(argv).some(isHelpFlag)) return
  const {flagWithoutCommand} = await import('../names.js')
  throw flagWithoutCommand(rest[0])
}
