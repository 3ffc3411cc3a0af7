/**
 * Loaded with `node --require` into a bookctl that is to be killed. It wraps the calls that change something outside the process,
 * and ends the process with SIGKILL at the one that CRASH_AT names. The shipped program has no such code. Each call has a label:
 * `sql …` (a commit with its statements), `file open|write|fsync|rename|link|remove NAME`, `net connect|connected`, `net send …`,
 * `out`. CRASH_AT is JSON. {call} is the number of the call among all calls of the thread, counting the moment before each call
 * and, if possible, the moment at which half of it is done. {label, when, nth} is the nth call whose label matches: `before` it,
 * when it is `half` done, or `after` it.
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
  // The signal ends all threads, but this one could otherwise run on for a moment.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
}

/** Does `work`, unless the process is killed there. `half` does half of it. */
function around(name, work, half) {
  const isMeant = label?.test(name) === true && ++matched === (order.nth ?? 1)
  if ((isMeant && order.when === 'before') || ++places === order.call) die()
  if (half && ((isMeant && order.when === 'half') || ++places === order.call)) {
    half()
    die()
  }
  const result = work()
  if (isMeant && order.when === 'after') die()
  return result
}

const names = new Map()
const nameOf = path => basename(String(path)).replace(/^\.bookctl-.*\.tmp$/, 'TEMPORARY')
const halfOf = bytes => Buffer.from(bytes).subarray(0, Math.ceil(Buffer.byteLength(bytes) / 2))

const {openSync, writeSync, closeSync, fsyncSync} = fs
fs.openSync = (path, flags, ...rest) => {
  const open = () => openSync(path, flags, ...rest)
  const writes = typeof flags === 'number' ? (flags & 3) !== 0 : /[wa+]/.test(flags ?? 'r')
  if (!writes) return open()
  const file = around(`file open ${nameOf(path)}`, open)
  names.set(file, nameOf(path))
  return file
}
fs.writeSync = (file, bytes, ...rest) => {
  const write = () => writeSync(file, bytes, ...rest)
  if (file === 2) return write()
  return around(file === 1 ? 'out' : `file write ${names.get(file)}`, write, () =>
    writeSync(file, halfOf(bytes)),
  )
}
fs.closeSync = file => {
  names.delete(file)
  return closeSync(file)
}
fs.fsyncSync = file => around(`file fsync ${names.get(file) ?? 'directory'}`, () => fsyncSync(file))
const WORDS = {renameSync: 'rename', linkSync: 'link', rmSync: 'remove', unlinkSync: 'remove'}
for (const [name, word] of Object.entries({...WORDS, mkdirSync: 'directory', chmodSync: 'chmod'})) {
  const call = fs[name]
  fs[name] = (path, ...rest) => around(`file ${word} ${nameOf(path)}`, () => call(path, ...rest))
}

const {connect, write} = Socket.prototype
Socket.prototype.connect = function (...args) {
  this.once('connect', () => around('net connected', () => {}))
  return around('net connect', () => connect.apply(this, args))
}
Socket.prototype.write = function (bytes, ...rest) {
  if (this.fd === 2) return write.call(this, bytes, ...rest)
  const raw = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  const text = Buffer.from(raw).toString('latin1')
  return around(
    this.fd === 1 ? 'out' : `net send ${text.split('\r\n')[0].slice(0, 200)}`,
    () => write.call(this, bytes, ...rest),
    () => write.call(this, halfOf(raw)),
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
const oneLine = sql => sql.replace(/\s+/g, ' ').slice(0, 120)

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
    // Reading data and settings changes nothing.
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

nodeModule.syncBuiltinESMExports()
