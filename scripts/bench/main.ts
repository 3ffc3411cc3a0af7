/**
 * Compares bookctl with references in the same run, and prints a table:
 *   npm run build && npm run bench -- [--quick] [--only NAME]… [--markdown FILE]
 * The files in cases/ say what is measured. bookctl and the reference run in turn, so that a busy machine slows both. Everything
 * happens on loopback and in one temporary directory, which is removed at the end.
 */
import {existsSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {parseArgs} from 'node:util'
import {batch} from './cases/batch.js'
import {evidence, judging} from './cases/certify.js'
import {listen, listenGrowth} from './cases/listen.js'
import {mcp} from './cases/mcp.js'
import {reconcile} from './cases/reconcile.js'
import {account} from './cases/requests.js'
import {sandboxGrowth} from './cases/sandbox.js'
import {store} from './cases/store.js'
import {verifyLarge, verifyMany, verifyOne} from './cases/verify.js'
import {Bench, ROOT} from './support/bench.js'
import {markdown, type Row} from './support/figures.js'

const CASES: Readonly<Record<string, (bench: Bench) => Promise<Row[]>>> = {
  'verify-one': verifyOne,
  account,
  batch,
  reconcile,
  'verify-many': verifyMany,
  'verify-large': verifyLarge,
  listen,
  mcp,
  'sandbox-growth': sandboxGrowth,
  'sandbox-evidence': evidence,
  'sandbox-judge': judging,
  'listen-growth': listenGrowth,
  store,
}

const tell = (text: string) => process.stderr.write(`${text}\n`)

try {
  const {quick, only, markdown: file} = readFlags()
  const table = markdown(await measure(only.length > 0 ? only : Object.keys(CASES), quick), quick)
  process.stdout.write(table)
  if (file !== undefined) writeFileSync(file, table)
} catch (error) {
  tell((error as Error).message)
  tell('Usage: npm run bench -- [--quick] [--only NAME]… [--markdown FILE]')
  tell(`Cases: ${Object.keys(CASES).join(', ')}`)
  process.exitCode = 2
}

/** Runs the cases one after the other and returns their rows. Ctrl-C ends every process and removes every file. */
async function measure(names: readonly string[], quick: boolean): Promise<Row[]> {
  const bench = new Bench(quick)
  const stopWith = (exit: number) => () => {
    bench.close()
    process.exit(exit)
  }
  process.once('SIGINT', stopWith(130)).once('SIGTERM', stopWith(143))
  const rows: Row[] = []
  for (const name of names) {
    const started = performance.now()
    try {
      rows.push(...((await CASES[name]?.(bench)) ?? []))
      tell(`${name}: ${Math.round((performance.now() - started) / 1000)} s`)
    } catch (error) {
      // If one case fails, the rows of the others are still printed.
      process.exitCode = 1
      tell(`${name} failed: ${(error as Error).message}`)
    }
  }
  bench.close()
  return rows
}

function readFlags() {
  const {values} = parseArgs({
    options: {
      quick: {type: 'boolean', default: false},
      only: {type: 'string', multiple: true, default: []},
      markdown: {type: 'string'},
    },
  })
  const unknown = values.only.find(name => !(name in CASES))
  if (unknown !== undefined) throw new Error(`There is no case "${unknown}".`)
  if (!existsSync(join(ROOT, 'dist/commands.json')))
    throw new Error('There is no build; run `npm run build`.')
  return values
}
