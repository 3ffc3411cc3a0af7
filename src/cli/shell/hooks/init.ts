/** Checks before any command and help. oclif ignores an error in a hook unless it has an exit code, so each has one. */
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
    // Any number but 0: failure.ts decides on the exit code.
    throw Object.assign(error as Error, {oclif: {exit: 1}})
  }
}

export default init

/** The secret is in the process list and the shell history already; it is neither used nor shown. */
function refuseSecrets(argv: readonly string[]): void {
  if (!argv.some(holdsSecret)) return
  const problem = 'secrets are not accepted as arguments: they show in the process list and the shell history'
  const hint =
    'use --client-secret-stdin, --client-secret-file or BOOKCTL_CLIENT_SECRET, and consider renewing the secret'
  throw usage('secret_on_command_line', problem, hint)
}

/** A group takes only the global flags: oclif would show its help and ignore others. */
async function refuseFlags(argv: readonly string[]): Promise<void> {
  const {rest} = splitArgv(argv)
  if (rest[0] === undefined || beforeDashes(argv).some(isHelpFlag)) return
  const {flagWithoutCommand} = await import('../names.js')
  throw flagWithoutCommand(rest[0])
}
