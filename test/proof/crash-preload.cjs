/**
 * Loaded into a bookctl that is to die (`node --require`): wraps what it calls to change something outside itself, and
 * ends the process with SIGKILL at the call that CRASH_AT names. So the shipped tool has no trap in it.
 *
 * Each call has a label: `sql …` (a commit with the statements in it), `file open|write|fsync|rename|link|remove NAME`,
 * `net connect|connected`, `net send …`, `out`. CRASH_AT is JSON: {label, when, nth}, the nth call whose label matches,
 * `before` it, `half` done or `after` it; or {boundary}, the place of that number, counted over all calls of the thread.
 */
'use strict'
const fs = require('node:fs')
const nodeModule = require('node:module')
const {Socket} = require('node:net')
const {basename} = require('node:path')

const order = JSON.parse(process.env.CRASH_AT || '{}')
const label = order.label === undefined ? undefined : new RegExp(order.label)
let matched = 0
let places = 0

function die() {
  process.kill(process.pid, 'SIGKILL')
  // A thread that is not the first may run on for a moment.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
}

/** Does `work` with deaths around it; `half`, if it can be done by half, does that much. */
function around(name, work, half) {
  const isMeant = label?.test(name) === true && ++matched === (order.nth ?? 1)
  if (isMeant && order.when === 'before') die()
  if (++places === order.boundary) die()
  if (half && ((isMeant && order.when === 'half') || ++places === order.boundary)) {
    half()
    die()
  }
  const result = work()
  if (isMeant && order.when === 'after') die()
  return result
}

const names = new Map()
const nameOf = path => basename(String(path)).replace(/^\.bookctl-.*\.tmp$/, 'TEMPORARY')

function replace(name, make) {
  const original = fs[name]
  fs[name] = make(original)
}

replace('openSync', open => (path, flags, ...rest) => {
  const writes = typeof flags === 'number' ? (flags & 3) !== 0 : /[wa+]/.test(flags ?? 'r')
  if (!writes) return open(path, flags, ...rest)
  return around(`file open ${nameOf(path)}`, () => {
    const file = open(path, flags, ...rest)
    names.set(file, nameOf(path))
    return file
  })
})
replace('writeSync', write => (file, bytes, ...rest) => {
  const name = file === 1 ? 'out' : `file write ${names.get(file)}`
  if (file === 2) return write(file, bytes, ...rest)
  return around(
    name,
    () => write(file, bytes, ...rest),
    () => write(file, Buffer.from(bytes).subarray(0, Math.ceil(Buffer.byteLength(bytes) / 2))),
  )
})
replace('closeSync', close => file => {
  names.delete(file)
  return close(file)
})
replace(
  'fsyncSync',
  fsync => file => around(`file fsync ${names.get(file) ?? 'directory'}`, () => fsync(file)),
)
for (const [name, word] of [
  ['renameSync', 'rename'],
  ['linkSync', 'link'],
  ['rmSync', 'remove'],
  ['unlinkSync', 'remove'],
  ['mkdirSync', 'directory'],
  ['chmodSync', 'chmod'],
]) {
  replace(
    name,
    call =>
      (path, ...rest) =>
        around(`file ${word} ${nameOf(path)}`, () => call(path, ...rest)),
  )
}

const {connect, write} = Socket.prototype
Socket.prototype.connect = function (...args) {
  this.once('connect', () => around('net connected', () => {}))
  return around('net connect', () => connect.apply(this, args))
}
Socket.prototype.write = function (bytes, ...rest) {
  if (this.fd === 2) return write.call(this, bytes, ...rest)
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1')
  return around(
    this.fd === 1 ? 'out' : `net send ${text.split('\r\n')[0].slice(0, 200)}`,
    () => write.call(this, bytes, ...rest),
    () => write.call(this, Buffer.from(text, 'latin1').subarray(0, Math.ceil(text.length / 2))),
  )
}

const {_load: load} = nodeModule
nodeModule._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest)
  if (request === 'libsql') wrapDatabase(loaded)
  return loaded
}

/** Statements since BEGIN, by connection. */
const begun = new WeakMap()
const wrapped = new WeakSet()

function wrapDatabase({prototype}) {
  if (wrapped.has(prototype)) return
  wrapped.add(prototype)
  const {exec, prepare} = prototype
  prototype.exec = function (sql) {
    const since = begun.get(this)
    const name = sql === 'COMMIT' ? `sql COMMIT ${(since ?? []).join('; ')}` : `sql ${oneLine(sql)}`
    if (/^BEGIN/.test(sql)) begun.set(this, [])
    else if (/^(COMMIT|ROLLBACK)$/.test(sql)) begun.delete(this)
    else since?.push(oneLine(sql))
    return around(name, () => exec.call(this, sql))
  }
  prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    // Reading changes nothing; what only asks for a setting neither.
    if (/^\s*(SELECT|PRAGMA (busy|user_version$|application_id$))/i.test(sql)) return statement
    for (const call of ['run', 'get', 'all']) {
      const original = statement[call]
      statement[call] = (...values) => {
        begun.get(this)?.push(oneLine(sql))
        return around(`sql ${oneLine(sql)}`, () => original.apply(statement, values))
      }
    }
    return statement
  }
}

function oneLine(sql) {
  return sql.replace(/\s+/g, ' ').slice(0, 120)
}

nodeModule.syncBuiltinESMExports()
