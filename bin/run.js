#!/usr/bin/env node
// Starts the built bookctl: checks the Node version, answers `--version` alone at once, silences what other people's debug variables would print
// (arguments, headers and signed links among it), then hands over to src/cli/main.ts.
'use strict'
const {existsSync, writeSync} = require('node:fs')
const nodeModule = require('node:module')
const {devNull, homedir} = require('node:os')
const {join} = require('node:path')
const {pathToFileURL} = require('node:url')

const [major, minor, patch] = process.versions.node.split('.').map(Number)
if (major * 1e6 + minor * 1e3 + patch < 20_018_001) {
  process.stderr.write(`bookctl needs Node.js 20.18.1 or newer; this is ${process.version}\n`)
  process.exit(1)
}

process.removeAllListeners('warning')
delete process.env.DEBUG
if (process.env.NODE_DEBUG) {
  // Node reads NODE_DEBUG before this line runs, so its lines (`NAME pid: …`) are dropped where they are written.
  const line = new RegExp(`^\\S+ (\\x1b\\[\\d+m)?${process.pid}(\\x1b\\[\\d+m)?: `)
  const write = process.stderr.write.bind(process.stderr)
  process.stderr.write = (chunk, ...rest) => (line.test(String(chunk)) ? true : write(chunk, ...rest))
  delete process.env.NODE_DEBUG
}
// Stacks then name src/, not the bundle.
if (process.env.BOOKCTL_DEBUG) process.setSourceMapsEnabled(true)

if (!printVersionAlone(process.argv.slice(2))) {
  keepCompiledCode()
  const {main} = require(builtMain())
  main(process.argv.slice(2), {root: new URL('..', pathToFileURL(__filename))})
}

/** The commonest question: true when it was that, and the answer has been taken. The rest of us says why it was not. */
function printVersionAlone(argv) {
  if (argv.length !== 1 || argv[0] !== '--version') return false
  const {name, version} = require('../package.json')
  try {
    writeSync(1, `${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`)
    return true
  } catch {
    return false
  }
}

/** The bundle, which a fresh clone has only once npm has built it. */
function builtMain() {
  const root = join(__dirname, '..')
  const path = join(root, 'dist/cli/main.js')
  if (existsSync(path)) return path
  process.stderr.write(`bookctl is not built yet: run npm ci in ${JSON.stringify(root)}\n`)
  process.exit(1)
}

/** Newer Nodes keep compiled code, in the user's own cache directory; where nothing can be written, they do not. */
function keepCompiledCode() {
  if (!nodeModule.enableCompileCache) return
  const {XDG_CACHE_HOME, LOCALAPPDATA} = process.env
  try {
    nodeModule.enableCompileCache(
      join(XDG_CACHE_HOME || LOCALAPPDATA || join(homedir() || devNull, '.cache'), 'bookctl/node'),
    )
  } catch {
    // A user whom the system does not know has no home, and nothing is kept.
  }
}
