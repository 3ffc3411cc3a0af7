/**
 * A hook that runs before every command, including help. It rejects secrets on the command line, because the process
 * list shows them.
 */
import type {Hook} from '@oclif/core/hooks'
import {usage} from '../../contract/failure.js'
import {holdsSecret} from '../../contract/identifiers.js'
import {CANDIDATES_WORD} from './argv.js'
import {running} from './running.js'

const init: Hook.Init = async () => {
  const {argv} = running
  if (argv[0] === CANDIDATES_WORD || !argv.some(holdsSecret)) return
  const problem = 'secrets are not accepted as arguments: they show in the process list and the shell history'
  const hint =
    'use --client-secret-stdin, --client-secret-file or BOOKCTL_CLIENT_SECRET, and consider renewing the secret'
  // oclif ignores the error of a hook if it has no exit code, and would run the command.
  throw Object.assign(usage('secret_on_command_line', problem, hint), {oclif: {exit: 2}})
}

export default init
