#!/usr/bin/env node
// Starts bookctl from src/ through tsx; for working on it, with no build before.
'use strict'
const {readFileSync} = require('node:fs')
const {join} = require('node:path')
const {pathToFileURL} = require('node:url')

const root = join(__dirname, '..')
process.removeAllListeners('warning')
delete process.env.DEBUG
start()

async function start() {
  const {register} = await import('tsx/esm/api')
  register()
  const {main} = await import('../src/cli/main.ts')
  await main(process.argv.slice(2), {root: pathToFileURL(`${root}/`), loadConfig})
}

/** oclif finds the commands by looking into the folder. */
async function loadConfig() {
  const {Config, settings} = require('@oclif/core')
  // Else NODE_ENV=development in the user's shell would make it look for TypeScript.
  settings.enableAutoTranspile = false
  const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const fromSource = {...pjson, oclif: {...pjson.oclif, commands: './commands'}}
  return Config.load({root: join(root, 'src'), pjson: fromSource})
}
