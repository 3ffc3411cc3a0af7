/** Before any command, help included: refuses secrets among the words, which are in the process list already. */
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
  // oclif drops what a hook throws without an exit code of its own, and the command would run.
  throw Object.assign(usage('secret_on_command_line', problem, hint), {oclif: {exit: 2}})
}

export default init
