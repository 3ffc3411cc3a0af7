/** Words that oclif finds no command for: too many arguments, a mistyped name, a flag before the name. */
import type {Hook} from '@oclif/core/hooks'
import {usage} from '../../contract/failure.js'
import {didYouMean} from '../input/match.js'
import {findName, flagWithoutCommand, isRestated, unknownCommand} from './names.js'

const commandNotFound: Hook.CommandNotFound = async ({id, argv = [], config}) => {
  if (id.startsWith('-')) throw flagWithoutCommand(id)
  const ids = config.commands.filter(({hidden}) => !hidden).map(command => command.id)
  const words = id.split(':')
  const {name, left} = findName(words, config.commandIDs)
  const command = config.findCommand(name.join(':'))
  // oclif takes all words as the name of a command without arguments; the command itself refuses surplus ones.
  const [alone, more] = [name.length === 1, left[0] ?? '']
  if (
    command &&
    alone &&
    Object.keys(command.args).length === 0 &&
    isRestated(command.id, more.toLowerCase())
  )
    throw usage('unexpected_argument', 'one unexpected argument', didYouMean(`\`bookctl ${command.id}\``))
  if (command) return config.runCommand(command.id, [...left, ...argv], command)
  // The words before the first flag may be the rest of the command's name.
  const end = argv.findIndex(word => word.startsWith('-'))
  throw unknownCommand([...words, ...(end < 0 ? argv : argv.slice(0, end))], ids)
}

export default commandNotFound
