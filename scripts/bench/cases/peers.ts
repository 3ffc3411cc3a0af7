/**
 * Other people's tools, installed from the registry into the bench's directory (asked for by `--peers`): how long their
 * `--version` takes beside ours, and clerk's `webhooks verify` beside ours. What cannot be installed or run is named.
 */
import {createHmac} from 'node:crypto'
import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import type {Bench, Case, RunOptions} from '../support/bench.js'
import {SECRET, SIGNED_AT, writeRequest} from '../support/captures.js'
import type {Row} from '../support/figures.js'
import {race} from '../support/race.js'

const PACKAGES = ['clerk', '@stripe/cli', 'twilio-cli']
/** Nothing of them talks to anybody. */
const QUIET = {CI: '1', DO_NOT_TRACK: '1', CLERK_TELEMETRY_DISABLED: '1'}

export const peers: Case = {
  name: 'peers',
  async run(bench) {
    const rows: Row[] = []
    for (const name of PACKAGES) {
      try {
        const program = await install(bench, name)
        rows.push(await beside(bench, name, '--version', ['--version'], {}, program, ['--version']))
        if (name === 'clerk') rows.push(await besideVerify(bench, program))
      } catch (error) {
        const why = String((error as Error).message)
          .split('\n')[0]
          ?.slice(0, 120)
        bench.options.tell(`${name} is left out: ${why}`)
      }
    }
    return rows
  },
}

/** Installs it, without scripts of its own; returns the file that starts it. */
async function install(bench: Bench, name: string): Promise<string> {
  const directory = bench.room()
  writeFileSync(join(directory, 'package.json'), '{"private": true}')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']
  await bench.run('npm', ['install', ...flags, name], {cwd: directory, env: {HOME: process.env.HOME ?? ''}})
  const home = join(directory, 'node_modules', name)
  const {bin} = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const program = join(home, typeof bin === 'string' ? bin : (Object.values(bin)[0] as string))
  if (!existsSync(program)) throw new Error(`${name} has no ${program}`)
  return program
}

async function beside(
  bench: Bench,
  name: string,
  what: string,
  ours: readonly string[],
  options: RunOptions,
  program: string,
  theirs: readonly string[],
): Promise<Row> {
  return race(bench, {
    measured: `\`bookctl ${ours.slice(0, 2).join(' ')}\``,
    against: `${name} \`${what}\``,
    reach: {atMost: 1},
    times: 9,
    ours: () => bench.bookctl(ours, options),
    other: () => bench.node([program, ...theirs], {env: QUIET}),
  })
}

/** One event of one file each. Clerk signs by the Standard Webhooks scheme: id, time and body, with a base64 key. */
async function besideVerify(bench: Bench, program: string): Promise<Row> {
  const directory = bench.room()
  const request = join(directory, 'request.http')
  const payload = join(directory, 'payload.json')
  const body = writeRequest(request)
  writeFileSync(payload, body)
  const key = Buffer.from('a secret of the bench')
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64')
  const ours = ['webhooks', 'verify', request, '--at', String(SIGNED_AT)]
  const theirs = [
    ...['webhooks', 'verify', '--secret', `whsec_${key.toString('base64')}`, '--payload', `@${payload}`],
    ...['--id', 'evt_1', '--timestamp', timestamp, '--signature', `v1,${signature}`],
  ]
  const options = {env: {BOOKCTL_WEBHOOK_SECRET: SECRET}}
  return beside(bench, 'clerk', 'webhooks verify', ours, options, program, theirs)
}
