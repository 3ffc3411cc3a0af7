/**
 * Other makers' tools, installed from the registry into the bench's directory: how long their start takes, `--version`,
 * beside a whole `bookctl webhooks verify` of one file. What cannot be installed or run is named. Only with `--only peers`.
 */
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import type {Bench} from '../support/bench.js'
import {SECRET, SIGNED_AT, writeRequest} from '../support/captures.js'
import {type Row, race} from '../support/figures.js'

const PACKAGES = ['clerk', '@stripe/cli', 'twilio-cli']
/** They report nothing to their makers. */
const QUIET = {CI: '1', DO_NOT_TRACK: '1', CLERK_TELEMETRY_DISABLED: '1'}

export async function peers(bench: Bench): Promise<Row[]> {
  const file = join(bench.room(), 'request.http')
  writeRequest(file)
  const env = {BOOKCTL_WEBHOOK_SECRET: SECRET}
  const rows: Row[] = []
  for (const name of PACKAGES) {
    try {
      const program = await install(bench, name)
      const row = await race(bench, {
        measured: '`bookctl webhooks verify` of one file',
        against: `start of ${name}: \`--version\``,
        reach: {atMost: 1},
        times: 9,
        ours: () => bench.bookctl(['webhooks', 'verify', file, '--at', String(SIGNED_AT)], {env}),
        other: () => bench.node([program, '--version'], {env: QUIET}),
      })
      rows.push(row)
    } catch (error) {
      process.stderr.write(`${name} is left out: ${(error as Error).message.split('\n', 1)}\n`)
    }
  }
  return rows
}

/** Installs it, without scripts of its own; returns the file that starts it. */
async function install(bench: Bench, name: string): Promise<string> {
  const directory = bench.room()
  writeFileSync(join(directory, 'package.json'), '{"private": true}')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']
  await bench.run('npm', ['install', '--prefix', directory, ...flags, name], {
    env: {HOME: process.env.HOME ?? ''},
  })
  const home = join(directory, 'node_modules', name)
  const {bin} = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  return join(home, typeof bin === 'string' ? bin : (Object.values(bin)[0] as string))
}
