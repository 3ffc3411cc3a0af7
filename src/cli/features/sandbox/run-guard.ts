/**
 * A process that runs next to `sandbox run` and ends the command if `sandbox run` is killed. Its argument is the mark
 * of the run. Its standard input is a pipe from `sandbox run`, which the system closes when `sandbox run` ends in any
 * way. The pipe carries the process id of the command, and `done` if nothing is left to end.
 */
import process from 'node:process'
import {text} from 'node:stream/consumers'
import {endProcesses} from './processes.js'

const [, , mark = ''] = process.argv
void text(process.stdin).then(async message => {
  const [pid, done] = message.split('\n')
  if (done !== 'done' && mark !== '') await endProcesses(mark, Number(pid) || undefined)
})
