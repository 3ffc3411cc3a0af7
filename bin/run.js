#!/usr/bin/env node
// Starts the built bookctl: checks the Node version, then hands over to src/cli/shell/main.ts.
'use strict'
const {existsSync} = require('node:fs')
const nodeModule = require('node:module')
const {homedir} = require('node:os')
const {join} = require('node:path')

const [major, minor, patch] = process.versions.node.split('.').map(Number)
if (major * 1e6 + minor * 1e3 + patch < 20_018_001) {
  process.stderr.write(`bookctl needs Node.js 20.18.1 or newer; this is ${process.version}\n`)
  process.exit(1)
}

require('./environment.js')
// Stacks then name src/, not the bundle.
if (process.env.BOOKCTL_DEBUG) process.setSourceMapsEnabled(true)

const root = join(__dirname, '../dist')
const main = join(root, 'cli/shell/main.js')
if (!existsSync(main)) {
  process.stderr.write(`bookctl is not built yet: run npm ci in ${JSON.stringify(join(__dirname, '..'))}\n`)
  process.exit(1)
}
keepCompiledCode()
require(main).main(process.argv.slice(2), {root})

/** Newer Nodes keep compiled code, in the user's own cache directory; where nothing can be written, they do not. */
function keepCompiledCode() {
  const {XDG_CACHE_HOME, LOCALAPPDATA} = process.env
  nodeModule.enableCompileCache?.(
    join(XDG_CACHE_HOME || LOCALAPPDATA || join(homedir(), '.cache'), 'bookctl/node'),
  )
}
