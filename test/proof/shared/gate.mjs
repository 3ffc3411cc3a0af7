// Stops a process at a gate until the named pipe PROOF_GATE/gate is opened for writing. The process reaches the gate when it
// first uses a path that contains PROOF_GATE_AT; all of our code is loaded by then. A file in PROOF_GATE shows that it waits.
import fs from 'node:fs'
import {createRequire, syncBuiltinESMExports} from 'node:module'
import {join} from 'node:path'
import process from 'node:process'

const {PROOF_GATE: gate, PROOF_GATE_AT: at} = process.env
const {closeSync, openSync, writeFileSync} = fs
let passed = false

// The native library is loaded as well, so that only the work itself comes after the gate.
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
