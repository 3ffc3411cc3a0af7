#!/usr/bin/env node
// Starts bookctl from src/ through tsx; for working on it, with no build before.
'use strict'
const {join} = require('node:path')

require('./environment.js')
start()

async function start() {
  const {register} = await import('tsx/esm/api')
  register()
  const {main} = await import('../src/cli/shell/main.ts')
  await main(process.argv.slice(2), {root: join(__dirname, '../src'), isSource: true})
}
