// Holds a process at the first touch of a path that has PROOF_GATE_AT in it, all of our code being loaded by then, until
// somebody opens the named pipe PROOF_GATE/gate for writing. Says that it waits with a file of its own in PROOF_GATE.
import fs from 'node:fs'
import {createRequire, syncBuiltinESMExports} from 'node:module'
import {join} from 'node:path'
import process from 'node:process'

const {PROOF_GATE: gate, PROOF_GATE_AT: at} = process.env
const {closeSync, openSync, writeFileSync} = fs
let passed = false

// The native library too, so that nothing but work lies behind the gate.
createRequire(import.meta.url)('libsql')
for (const name of ['NODE_OPTIONS', 'PROOF_GATE', 'PROOF_GATE_AT']) delete process.env[name]

function pass() {
  passed = true
  writeFileSync(join(gate, String(process.pid)), '')
  closeSync(openSync(join(gate, 'gate'), 'r'))
}

for (const name of [
  'accessSync',
  'existsSync',
  'lstatSync',
  'openSync',
  'readFileSync',
  'readdirSync',
  'statSync',
]) {
  const original = fs[name]
  fs[name] = (path, ...rest) => {
    if (!passed && String(path).includes(at)) pass()
    return original(path, ...rest)
  }
}
syncBuiltinESMExports()
