/**
 * A local sandbox in memory, in a process of its own, whose processor time can be asked for. argv: `without` keeps no evidence of
 * requests. Sends its origin when it is ready; answers each message with its processor time so far, in milliseconds.
 */
import process from 'node:process'
import {createSandbox} from '../../../src/sandbox/sandbox.js'
import {serveSandbox} from '../../../src/sandbox/serve.js'

const sandbox = createSandbox({database: ':memory:', keepsEvidence: process.argv[2] !== 'without'})
const {origin} = await serveSandbox(sandbox, 0)
process.on('message', () => {
  const {user, system} = process.cpuUsage()
  process.send?.((user + system) / 1000)
})
process.on('disconnect', () => process.exit())
process.send?.(origin)
