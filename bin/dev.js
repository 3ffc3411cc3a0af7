#!/usr/bin/env node
// Starts bookctl from src/ through tsx; for working on it, with no build before.
'use strict'
const {join} = require('node:path')
const {pathToFileURL} = require('node:url')

const root = pathToFileURL(join(__dirname, '../'))
process.removeAllListeners('warning')
delete process.env.DEBUG
start()

async function start() {
  const {register} = await import('tsx/esm/api')
  register()
  const {main} = await import('../src/cli/main.ts')
  await main(process.argv.slice(2), {root, source: new URL('src/', root)})
}
