/**
 * Measures bookctl here and now against references in the same run, and prints a table:
 *   npm run build && npm run bench -- [--quick] [--only NAME]… [--json] [--markdown FILE] [--peers]
 * A case is a file of cases/, which says what is measured. Ours and the reference run in turn, so that a busy machine
 * is as busy for both. Everything happens on loopback and in one temporary directory, which is removed.
 * The table is also written to the FILE of --markdown.
 */
import {existsSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {parseArgs} from 'node:util'
import {account} from './cases/account.js'
import {listen} from './cases/listen.js'
import {listenGrowth} from './cases/listen-growth.js'
import {peers} from './cases/peers.js'
import {sandboxGrowth} from './cases/sandbox-growth.js'
import {searchGrowth} from './cases/search-growth.js'
import {searchStart} from './cases/search-start.js'
import {verifyLarge} from './cases/verify-large.js'
import {verifyMany} from './cases/verify-many.js'
import {verifyOne} from './cases/verify-one.js'
import {Bench, type BenchOptions, ROOT} from './support/bench.js'
import {markdown, type Report, report} from './support/table.js'

const CASES = [
  ...[verifyOne, account, searchStart, verifyMany, verifyLarge],
  ...[listen, searchGrowth, sandboxGrowth, listenGrowth, peers],
]
const NAMES = CASES.map(({name}) => name)

process.exitCode = (await main()) || process.exitCode || 0

async function main(): Promise<number> {
  const flags = readFlags()
  if (typeof flags === 'string') return refuse(flags)
  if (!existsSync(join(ROOT, 'dist/commands.json'))) return refuse('There is no build; run `npm run build`.')
  const {quick, only, json, markdown: file} = flags
  const tell = (text: string) => process.stderr.write(`${text}\n`)
  const asked = flags.peers || only.includes(peers.name)
  const chosen = CASES.filter(one => (only.length > 0 ? only.includes(one.name) : one !== peers || asked))
  const result = report(await measure(chosen, {quick, tell}), quick)
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : markdown(result))
  if (file !== undefined) writeFileSync(file, markdown(result))
  return 0
}

/** The rows of all cases, one after the other. Ctrl-C ends every process and removes every file. */
async function measure(cases: typeof CASES, options: BenchOptions): Promise<Report['rows']> {
  const bench = new Bench(options)
  for (const [signal, exit] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      bench.close()
      process.exit(exit)
    })
  }
  const rows: Report['rows'][number][] = []
  try {
    for (const {name, run} of cases) {
      const started = performance.now()
      try {
        rows.push(...(await run(bench)).map(row => ({case: name, ...row})))
        options.tell(`${name}: ${Math.round((performance.now() - started) / 1000)} s`)
      } catch (error) {
        // What the others measured is not lost.
        process.exitCode = 1
        options.tell(`${name} failed: ${(error as Error).message}`)
      }
    }
    return rows
  } finally {
    bench.close()
  }
}

function readFlags() {
  try {
    const {values} = parseArgs({
      options: {
        quick: {type: 'boolean', default: false},
        only: {type: 'string', multiple: true, default: []},
        json: {type: 'boolean', default: false},
        markdown: {type: 'string'},
        peers: {type: 'boolean', default: false},
      },
    })
    const unknown = values.only.find(name => !NAMES.includes(name))
    return unknown === undefined ? values : `There is no case "${unknown}".`
  } catch (error) {
    return (error as Error).message
  }
}

function refuse(text: string): number {
  process.stderr.write(
    `${text}\nUsage: npm run bench -- [--quick] [--only NAME]… [--json] [--markdown FILE] [--peers]\nCases: ${NAMES.join(', ')}\n`,
  )
  return 2
}
