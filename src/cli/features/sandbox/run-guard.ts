/**
 * A process beside `sandbox run`, which cannot tidy up if it is killed: then this process ends the command. The argument is the
 * mark of the run. Standard input is a pipe from `sandbox run`, which the system closes however that ends. It carries the id of
 * the command's process and, if all is well, `done`.
 */
import process from 'node:process'
import {text} from 'node:stream/consumers'
import {endProcesses} from './processes.js'

const [, , mark = ''] = process.argv
void text(process.stdin).then(async said => {
  const [pid, done] = said.split('\n')
  if (done !== 'done' && mark !== '') await endProcesses(mark, Number(pid) || undefined)
})
