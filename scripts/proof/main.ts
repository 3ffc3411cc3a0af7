/**
 * The long proof: npm run proof -- [--only TEXT]… [--seed NUMBER] [--list] [--markdown FILE]
 * A part is a file of parts/, which says what it tries. Each tells what it finds wrong as it finds it, and its figures at
 * its end; one table of all parts comes last, and is also written to the FILE of --markdown. --only runs the cells whose
 * name, with its part's before it, holds all the texts, in either case (--only "Fault matrix" --only tls); --list prints the names; --seed
 * repeats what was random. The whole takes hours of two cores that have nothing else to do, and needs a build.
 */
import {existsSync, writeFileSync} from 'node:fs'
import process from 'node:process'
import {parseArgs} from 'node:util'
import type {Part} from './part.js'
import {PARTS} from './parts.js'
import {figuresOf, markdown, type PartFigures, partTable} from './table.js'

const {values} = parseArgs({
  options: {
    ...{only: {type: 'string', multiple: true}, seed: {type: 'string'}},
    ...{list: {type: 'boolean'}, markdown: {type: 'string'}},
  },
})
const chosen = PARTS.map(part => ({part, names: chosenOf(part)})).filter(({names}) => names.length > 0)

if (chosen.length === 0) refuse('No cell has a name that holds that; --list prints all names.')
else if (values.list)
  for (const {part, names} of chosen) for (const name of names) say(`${part.title}: ${name}`)
else if (!existsSync(new URL('../../dist/manifest.json', import.meta.url)))
  refuse('There is no build; run `npm run build`.')
else await prove()

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
  const figures: PartFigures[] = []
  for (const {part, names} of chosen) {
    figures.push(await provePart(part, names, seed))
    say(partTable(figures.at(-1) as PartFigures))
  }
  const table = markdown(figures)
  say(table)
  if (values.markdown !== undefined) writeFileSync(values.markdown, table)
  process.exitCode = figures.some(({groups}) => groups.some(({wrong}) => wrong > 0)) ? 1 : 0
}

async function provePart(part: Part, names: readonly string[], seed: number): Promise<PartFigures> {
  const figures = figuresOf(part)
  let ended = 0
  const began = Date.now()
  const tell = (name: string, outcome: Parameters<typeof figures.add>[0]) => {
    figures.add(outcome)
    ended += 1
    if (ended % 100 === 0) process.stderr.write(`${part.title}: ${ended} of ${names.length}\n`)
    if (outcome.wrong.length > 0) say([`✗ ${name}`, ...outcome.wrong.map(text => `    ${text}`)].join('\n'))
  }
  await part.run(new Set(names), tell, {seed})
  return figures.end((Date.now() - began) / 1000)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function refuse(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 2
}
