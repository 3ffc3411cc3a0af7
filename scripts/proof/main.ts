/**
 * The long proof: npm run proof -- [--only TEXT]… [--seed NUMBER] [--list] [--markdown FILE]
 * A part is a file of parts/, which says what it tries. Each tells what it finds wrong as it finds it, and its figures at
 * its end; one table of all parts comes last, and is also written to the FILE of --markdown. --only runs the cells whose
 * name, with its part's before it, holds all the texts, in either case (--only "Fault matrix" --only tls); --list prints the names; --seed
 * repeats what was random. Stopped by Ctrl-C or SIGTERM, it still prints the figures so far. The whole takes hours of two
 * cores that have nothing else to do, and needs a build.
 */
import {writeFileSync} from 'node:fs'
import process from 'node:process'
import {parseArgs} from 'node:util'
import {isFresh} from '../../test/support/build.js'
import type {Outcome, Part} from './part.js'
import {PARTS} from './parts.js'
import {figuresOf, markdown, type PartFigures, partTable} from './table.js'

const values = parse()
const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const chosen = PARTS.map(part => ({part, names: chosenOf(part)})).filter(({names}) => names.length > 0)

if (chosen.length === 0) refuse('No cell has a name that holds that; --list prints all names.')
else if (values.list)
  for (const {part, names} of chosen) for (const name of names) say(`${part.title}: ${name}`)
else if (!isFresh()) refuse('There is no build of the sources as they are; run `npm run build`.')
else await prove()

function parse() {
  const strings = {seed: {type: 'string'}, markdown: {type: 'string'}} as const
  const options = {...strings, only: {type: 'string', multiple: true}, list: {type: 'boolean'}} as const
  try {
    return parseArgs({options}).values
  } catch (error) {
    refuse((error as Error).message)
    process.exit()
  }
}

function chosenOf(part: Part): string[] {
  const only = (values.only ?? []).map(text => text.toLowerCase())
  return part.names().filter(name => {
    const full = `${part.title}: ${name}`.toLowerCase()
    return only.every(text => full.includes(text))
  })
}

async function prove(): Promise<void> {
  const seed = Number(values.seed ?? Math.floor(Date.now() / 1000))
  if (!Number.isSafeInteger(seed)) return refuse('--seed is a whole number.')
  say(`seed ${seed}`)
  const ended: PartFigures[] = []
  for (const {part, names} of chosen) {
    const figures = figuresOf(part)
    const began = performance.now()
    const soFar = () => figures.after((performance.now() - began) / 1000)
    const stop = () => {
      say(`\nStopped here.\n${partTable(soFar())}`)
      finish([...ended, soFar()])
      process.exit(1)
    }
    for (const signal of SIGNALS) process.once(signal, stop)
    for (const text of part.leftOut?.() ?? []) say(`left out on this machine: ${text}`)
    await provePart(part, names, seed, figures.add)
    for (const signal of SIGNALS) process.off(signal, stop)
    ended.push(soFar())
    say(partTable(ended.at(-1) as PartFigures))
  }
  finish(ended)
}

/** The table of all parts, and an exit that tells whether anything was wrong. */
function finish(figures: readonly PartFigures[]): void {
  const table = markdown(figures)
  say(table)
  if (values.markdown !== undefined) writeFileSync(values.markdown, table)
  process.exitCode = figures.some(({groups}) => groups.some(({wrong}) => wrong > 0)) ? 1 : 0
}

async function provePart(
  part: Part,
  names: readonly string[],
  seed: number,
  add: (outcome: Outcome) => void,
): Promise<void> {
  const step = Math.min(100, Math.ceil(names.length / 10))
  let told = 0
  const tell = (name: string, outcome: Outcome) => {
    add(outcome)
    told += 1
    if (told % step === 0) process.stderr.write(`${part.title}: ${told} of ${names.length}\n`)
    if (outcome.wrong.length > 0) say([`✗ ${name}`, ...outcome.wrong.map(text => `    ${text}`)].join('\n'))
  }
  await part.run(new Set(names), tell, {seed}).catch(error => {
    tell('the part itself', {group: 'the part itself', count: 0, wrong: [String(error.stack)]})
  })
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function refuse(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 2
}
