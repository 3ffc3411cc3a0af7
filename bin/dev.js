#!/usr/bin/env node
// Starts bookctl from src/ through tsx; for working on it, with no build before.
import {register} from 'tsx/esm/api'

process.removeAllListeners('warning')
delete process.env.DEBUG
register()
const {main} = await import('../src/cli/main.ts')
await main(process.argv.slice(2), {
  root: new URL('..', import.meta.url),
  source: new URL('../src/', import.meta.url),
})
