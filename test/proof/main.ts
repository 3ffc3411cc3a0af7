/**
 * The whole proof:
 *   npm run proof -- [--only TEXT]… [--seed NUMBER] [--list] [--markdown FILE]
 *   npm run proof -- --soak MINUTES
 * It prints each error when it finds it, the figures of each part at its end, and a table of all parts, which --markdown also
 * writes to FILE. --only runs the cells whose name, after the title of the part, contains all the texts (--only "Fault matrix"
 * --only tls); --list prints the names; --seed repeats the random choices of an earlier run. Ctrl-C and SIGTERM end the proof
 * with the figures so far. The whole proof takes hours on two idle cores, and needs a build. --soak runs a receiver that long, and
 * nothing else; it is not part of the whole proof.
 */
import {writeFileSync, writeSync} from 'node:fs'
import process from 'node:process'
import {parseArgs} from 'node:util'
import {isFresh} from '../support/build.js'
import {PARTS} from './parts.js'
import {choose, type Part} from './shared/part.js'
import {soak} from './soak/soak.js'

interface Figures {
  readonly part: Part
  readonly began: number
  milliseconds: number
  /** Counts and failures by group. */
  readonly groups: Map<string, {count: number; failed: number}>
}

const values = readFlags()
const minutes = Number(values.soak ?? 0)
const chosen = choose(values.soak === undefined ? PARTS : [soak(minutes)], values.only ?? [])
const seed = Number(values.seed ?? Math.floor(Date.now() / 1000))
const all: Figures[] = []

if (!(minutes >= 0)) refuse('--soak must be a number of minutes')
if (!Number.isSafeInteger(seed)) refuse('--seed must be a whole number')
if (chosen.length === 0) refuse('no cell has such a name; list them with --list')
if (values.list)
  for (const {part, names} of chosen) for (const name of names) console.log(`${part.title}: ${name}`)
else {
  if (!isFresh()) refuse('dist/ is older than src/; run npm run build')
  await prove()
}

/**
 * Writes directly to file descriptor 1, because a command that runs inside this process replaces process.stdout. This also works
 * when Ctrl-C comes meanwhile.
 */
function say(text: string): void {
  writeSync(1, `${text}\n`)
}

function readFlags() {
  const strings = {seed: {type: 'string'}, markdown: {type: 'string'}, soak: {type: 'string'}} as const
  const options = {...strings, only: {type: 'string', multiple: true}, list: {type: 'boolean'}} as const
  try {
    return parseArgs({options}).values
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function refuse(message: string): never {
  console.error(message)
  process.exit(2)
}

async function prove(): Promise<void> {
  say(`seed ${seed}`)
  // Not `once`: timeout(1) sends the signal twice, and the second would end the process before the figures are printed.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      say('\nStopped.')
      finish()
      process.exit(1)
    })
  for (const {part, names} of chosen) {
    for (const text of part.leftOut) say(`left out on this machine: ${text}`)
    const figures: Figures = {part, began: performance.now(), milliseconds: 0, groups: new Map()}
    all.push(figures)
    let ended = 0
    const report: Parameters<Part['run']>[1] = (name, {group, count, wrong}) => {
      const before = figures.groups.get(group) ?? {count: 0, failed: 0}
      const failed = before.failed + (wrong.length > 0 ? 1 : 0)
      figures.groups.set(group, {count: before.count + count, failed})
      figures.milliseconds = performance.now() - figures.began
      if (++ended % 100 === 0) console.error(`${part.title}: ${ended} of ${names.length}`)
      if (wrong.length > 0) say([`✗ ${name}`, ...wrong.map(text => `    ${text}`)].join('\n'))
    }
    await part.run(new Set(names), report, seed).catch(error => {
      report('the part itself', {group: 'the part itself', count: 0, wrong: [String(error.stack)]})
    })
    say(`\n${part.title}`)
    for (const [name, {count, failed}] of [...figures.groups, ['all', totalOf(figures)] as const])
      say(`${name.padEnd(30)} ${String(count).padStart(6)} ${part.unit}, ${failed} failed`)
    say(`${(figures.milliseconds / 1000).toFixed(0)} s\n`)
  }
  finish()
  // Resources that a failed cell left open would keep the process alive.
  process.exit()
}

function totalOf({groups}: Figures): {count: number; failed: number} {
  const sum = (key: 'count' | 'failed') => [...groups.values()].reduce((total, each) => total + each[key], 0)
  return {count: sum('count'), failed: sum('failed')}
}

/** Prints the table of all parts. Exits with 1 if anything failed. */
function finish(): void {
  const rows = all.map(figures => {
    const {part, milliseconds} = figures
    const {count, failed} = totalOf(figures)
    const run = `${count.toLocaleString('en')} ${part.unit}`
    return `| ${part.title} | ${run} | ${failed} | ${(milliseconds / 60_000).toFixed(1)} min |\n`
  })
  const table = `| Proof | Run | Failed | Time |\n| --- | --- | ---: | ---: |\n${rows.join('')}`
  say(table)
  if (values.markdown !== undefined) writeFileSync(values.markdown, table)
  process.exitCode = all.some(figures => totalOf(figures).failed > 0) ? 1 : 0
}
