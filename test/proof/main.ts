/**
 * The whole proof: npm run proof -- [--only TEXT]… [--seed NUMBER] [--list] [--markdown FILE]
 * It prints what is wrong as it finds it, the figures of each part at its end, and one table of all parts, which --markdown
 * also writes to FILE. --only runs the cells whose name, with its part's before it, contains all the texts (--only
 * "Fault matrix" --only tls); --list prints the names; --seed repeats what was random. Ctrl-C and SIGTERM end it with the
 * figures so far. All of it takes hours on two cores that do nothing else, and needs a build.
 */
import {writeFileSync} from 'node:fs'
import process from 'node:process'
import {parseArgs} from 'node:util'
import {isFresh} from '../support/build.js'
import type {Outcome, Part} from './part.js'
import {PARTS} from './parts.js'

interface Figures {
  readonly part: Part
  /** Counts and failures by group. */
  readonly groups: Map<string, {count: number; failed: number}>
  readonly more: Map<string, number>
  seconds: number
}

const values = readFlags()
const only = (values.only ?? []).map(text => text.toLowerCase())
const chosen = PARTS.map(part => {
  const isChosen = (name: string) => only.every(text => `${part.title}: ${name}`.toLowerCase().includes(text))
  return {part, names: part.names.filter(isChosen)}
}).filter(({names}) => names.length > 0)
const seed = Number(values.seed ?? Math.floor(Date.now() / 1000))

if (!Number.isSafeInteger(seed)) refuse('--seed must be a whole number')
else if (chosen.length === 0) refuse('no cell has such a name; list them with --list')
else if (values.list)
  for (const {part, names} of chosen) for (const name of names) print(`${part.title}: ${name}`)
else if (!isFresh()) refuse('dist/ is older than src/; run npm run build')
else await prove()

function readFlags() {
  const strings = {seed: {type: 'string'}, markdown: {type: 'string'}} as const
  const options = {...strings, only: {type: 'string', multiple: true}, list: {type: 'boolean'}} as const
  try {
    return parseArgs({options}).values
  } catch (error) {
    refuse((error as Error).message)
    process.exit()
  }
}

async function prove(): Promise<void> {
  print(`seed ${seed}`)
  const all: Figures[] = []
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      print('\nStopped.')
      finish(all)
      process.exit(1)
    })
  for (const {part, names} of chosen) {
    for (const text of part.leftOut) print(`left out on this machine: ${text}`)
    const figures: Figures = {part, groups: new Map(), more: new Map(), seconds: 0}
    all.push(figures)
    const began = performance.now()
    let ended = 0
    const tell = (name: string, outcome: Outcome) => {
      add(figures, outcome)
      figures.seconds = (performance.now() - began) / 1000
      if (++ended % 100 === 0) process.stderr.write(`${part.title}: ${ended} of ${names.length}\n`)
      if (outcome.wrong.length > 0)
        print([`✗ ${name}`, ...outcome.wrong.map(text => `    ${text}`)].join('\n'))
    }
    await part.run(new Set(names), tell, seed).catch(error => {
      tell('the part itself', {group: 'the part itself', count: 0, wrong: [String(error.stack)]})
    })
    print(tableOf(figures))
  }
  finish(all)
}

function add({groups, more}: Figures, {group, count = 1, more: others = {}, wrong}: Outcome): void {
  for (const [what, n] of Object.entries(others)) more.set(what, (more.get(what) ?? 0) + n)
  const before = groups.get(group) ?? {count: 0, failed: 0}
  groups.set(group, {count: before.count + count, failed: before.failed + (wrong.length > 0 ? 1 : 0)})
}

function totalOf({groups}: Figures): {count: number; failed: number} {
  const all = [...groups.values()]
  const sum = (key: 'count' | 'failed') => all.reduce((total, each) => total + each[key], 0)
  return {count: sum('count'), failed: sum('failed')}
}

/** One part: a line for each group, and one for all. */
function tableOf(figures: Figures): string {
  const {part, groups, seconds} = figures
  const lines = [...groups, ['all', totalOf(figures)] as const].map(
    ([name, {count, failed}]) =>
      `${name.padEnd(30)} ${String(count).padStart(6)} ${part.unit}, ${failed} failed`,
  )
  return ['', part.title, ...lines, `${seconds.toFixed(0)} s`, ''].join('\n')
}

/** The table of all parts; exit 1 if anything failed. */
function finish(all: readonly Figures[]): void {
  const rows = all.map(figures => {
    const {count, failed} = totalOf(figures)
    const counted = [[figures.part.unit, count] as const, ...figures.more]
    const run = counted.map(([what, n]) => `${n.toLocaleString('en')} ${what}`).join(', ')
    return `| ${figures.part.title} | ${run} | ${failed} | ${(figures.seconds / 60).toFixed(1)} min |`
  })
  const table = ['| Proof | Run | Failed | Time |', '| --- | --- | ---: | ---: |', ...rows, ''].join('\n')
  print(table)
  if (values.markdown !== undefined) writeFileSync(values.markdown, table)
  process.exitCode = all.some(figures => totalOf(figures).failed > 0) ? 1 : 0
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function refuse(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 2
}
