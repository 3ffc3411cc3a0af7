/**
 * The long proof: npm run proof -- [--only TEXT]…
 * Runs the whole fault matrix, every command that makes a request against every fault, prints what is not as the rules of
 * test/proof/rules.ts say, and a table; then the search for leaks, every command with every debug switch against every
 * answer that echoes what it was sent; then hostile input of four kinds, from a new seed each time, or from that of
 * --seed. --only takes the cells whose name holds all the texts: --only "reserve (account) ×
 * tls", --only leak, --only fuzz. It takes most of an hour of two cores that have other things to do, and needs a build.
 */
import process from 'node:process'
import {parseArgs} from 'node:util'
import {nameOf} from '../../test/proof/cell.js'
import {fuzz, KINDS} from '../../test/proof/fuzz.js'
import {allLeakCells, leakName, runLeakCell} from '../../test/proof/leak-cell.js'
import {allCells, inTwos, openBench, runCells} from '../../test/proof/matrix.js'

interface Outcome {
  readonly command: string
  readonly wrong: readonly string[]
}

const {values} = parseArgs({options: {only: {type: 'string', multiple: true}, seed: {type: 'string'}}})
const seed = Number(values.seed ?? Math.floor(Date.now() / 1000))
/** Ours: so many runs of each kind take some minutes. */
const FUZZ_RUNS = 1500
const isWanted = (name: string) => (values.only ?? []).every(text => name.includes(text))
const bench = await openBench()
const {heard} = bench.other
let failed = false
try {
  await proveFaults()
  await proveLeaks()
  await proveFuzz()
} finally {
  await bench.close()
}
if (heard.length > 0) process.stdout.write(`✗ told to another server: ${heard.join(', ')}\n`)
process.exitCode = failed || heard.length > 0 ? 1 : 0

async function proveFaults(): Promise<void> {
  const cells = allCells().filter(cell => isWanted(nameOf(cell)))
  await part('Fault matrix', cells.length, async tell => {
    await runCells(bench, cells, ({name, cell, wrong}) => tell(name, {command: cell.row.command, wrong}))
  })
}

async function proveLeaks(): Promise<void> {
  const cells = allLeakCells().filter(cell => isWanted(leakName(cell)))
  await part('Leaks', cells.length, tell =>
    inTwos(cells, async cell => {
      const wrong = await runLeakCell(bench.side, cell).catch(error => [
        `the cell itself failed: ${error.stack}`,
      ])
      tell(leakName(cell), {command: cell.row.command, wrong})
    }),
  )
}

async function proveFuzz(): Promise<void> {
  const kinds = KINDS.filter(({name}) => isWanted(`fuzz: ${name}`))
  await part(`Hostile input (${FUZZ_RUNS} each, seed ${seed})`, kinds.length, tell =>
    inTwos(kinds, async kind => {
      const failure = await fuzz(kind, seed, FUZZ_RUNS)
      tell(`fuzz: ${kind.name}`, {command: kind.name, wrong: failure ? [failure] : []})
    }),
  )
}

/** Runs a part of the proof, tells of what is wrong as it is found, and prints a table at the end. */
async function part(
  title: string,
  count: number,
  run: (tell: (name: string, outcome: Outcome) => void) => Promise<void>,
): Promise<void> {
  if (count === 0) return
  const began = Date.now()
  const outcomes: Outcome[] = []
  await run((name, outcome) => {
    outcomes.push(outcome)
    if (outcomes.length % 100 === 0) process.stderr.write(`${title}: ${outcomes.length} of ${count} cells\n`)
    if (outcome.wrong.length === 0) return
    failed = true
    process.stdout.write(`✗ ${name}\n${outcome.wrong.map(text => `    ${text}\n`).join('')}`)
  })
  const commands = [...new Set(outcomes.map(({command}) => command))]
  const lines = commands.map(command =>
    line(
      command.replaceAll(':', ' '),
      outcomes.filter(each => each.command === command),
    ),
  )
  const seconds = ((Date.now() - began) / 1000).toFixed(0)
  process.stdout.write(['', title, ...lines, line('all', outcomes), `${seconds} s`, ''].join('\n'))
}

function line(name: string, outcomes: readonly Outcome[]): string {
  const bad = outcomes.filter(({wrong}) => wrong.length > 0).length
  return `${name.padEnd(22)} ${String(outcomes.length).padStart(5)} cells ${String(bad).padStart(5)} failed`
}
