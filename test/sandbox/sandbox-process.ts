/** Runs a sandbox in a process of its own, for tests that kill it: `node sandbox-process.mjs FILE`. */
import {createSandbox} from '../../src/sandbox/sandbox.js'
import {serveSandbox} from '../../src/sandbox/serve.js'

const [database = ':memory:'] = process.argv.slice(2)
try {
  const served = await serveSandbox(createSandbox({database, allowHttpLoopback: true}), {
    host: '127.0.0.1',
    port: 0,
  })
  console.log(JSON.stringify({origin: served.origin}))
} catch (error) {
  const {fault, message, hint} = error as {fault?: string; message: string; hint?: string}
  console.log(JSON.stringify({fault, message, hint}))
  process.exit(1)
}
// Ends with the test that started it, however that ends.
process.stdin.on('end', () => process.exit(0)).resume()
