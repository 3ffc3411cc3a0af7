/**
 * The long proof: npm run proof -- [--only TEXT]…
 * Runs the whole fault matrix, every command that makes a request against every fault, prints what is not as the rules of
 * test/proof/rules.ts say, and a table. --only takes the cells whose name holds all the texts: --only "reserve (account) × tls".
 * It takes some twenty minutes of two cores that have other things to do, and needs a build.
 */
import process from 'node:process'
import {parseArgs} from 'node:util'
import {nameOf} from '../../test/proof/cell.js'
import {allCells, type CellResult, openBench, runCells} from '../../test/proof/matrix.js'

const {values} = parseArgs({options: {only: {type: 'string', multiple: true}}})
const only = values.only ?? []
const cells = allCells().filter(cell => only.every(text => nameOf(cell).includes(text)))
const began = Date.now()
let done = 0
const bench = await openBench()
const results = await runCells(bench, cells, ({name, wrong}) => {
  if (++done % 100 === 0) process.stderr.write(`${done} of ${cells.length} cells\n`)
  if (wrong.length > 0) process.stdout.write(`✗ ${name}\n${wrong.map(line => `    ${line}\n`).join('')}`)
}).finally(() => bench.close())
const {heard} = bench.other
process.stdout.write(table(results))
if (heard.length > 0) process.stdout.write(`✗ told to another server: ${heard.join(', ')}\n`)
process.exitCode = heard.length > 0 || results.some(({wrong}) => wrong.length > 0) ? 1 : 0

function table(all: readonly CellResult[]): string {
  const commands = [...new Set(all.map(({cell}) => cell.row.command))]
  const lines = commands.map(command => {
    const own = all.filter(({cell}) => cell.row.command === command)
    return line(command.replaceAll(':', ' '), own)
  })
  const seconds = ((Date.now() - began) / 1000).toFixed(0)
  return ['', 'Fault matrix', ...lines, line('all', all), `${seconds} s`, ''].join('\n')
}

function line(name: string, results: readonly CellResult[]): string {
  const failed = results.filter(({wrong}) => wrong.length > 0).length
  return `${name.padEnd(22)} ${String(results.length).padStart(5)} cells ${String(failed).padStart(5)} failed`
}
