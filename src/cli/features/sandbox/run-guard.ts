/**
 * A process beside `sandbox run`. If that is killed, so that it cannot tidy up, this ends the command that it ran. Standard input
 * is a pipe from `sandbox run`, which the system closes when that ends, in whatever way. argv: the mark of the run. On the pipe
 * come the id of the command's process and, if all is well, `done`.
 */
import process from 'node:process'
import {text} from 'node:stream/consumers'
import {endProcesses} from './processes.js'

const [, , mark = ''] = process.argv
void text(process.stdin).then(async said => {
  const [pid, done] = said.split('\n')
  if (done !== 'done' && mark !== '') await endProcesses(mark, Number(pid) || undefined)
})
