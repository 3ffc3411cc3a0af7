/** Mutants: the rules that decide about money and secrets, each broken in every small way, and whether a test notices. */
import process from 'node:process'
import {GROUPS, type Group} from '../mutation/groups.js'
import {installStryker, type Mutant, mutate} from '../mutation/stryker.js'
import type {Part, Tell} from '../part.js'

/** Ours: of the mutants of one file. */
const LEAST_KILLED = 0.9

export const mutants: Part = {
  title: 'Mutants',
  unit: 'mutants',
  names: () => GROUPS.flatMap(({files}) => files),
  async run(names, tell, {seed}) {
    await installStryker()
    for (const group of GROUPS) {
      const files = group.files.filter(file => names.has(file))
      if (files.length === 0) continue
      await mutate(group, files, seed).then(
        found => {
          for (const [file, mutants] of found) tellOf(group, file, mutants, tell)
        },
        error => tell(group.name, {group: group.name, count: 0, wrong: [String(error.stack)]}),
      )
    }
  },
}

function tellOf(group: Group, file: string, mutants: readonly Mutant[], tell: Tell): void {
  const of = (...statuses: readonly Mutant['status'][]) =>
    mutants.filter(({status}) => statuses.includes(status))
  // Where none may live, one that only took too long was not shown to be dead.
  const alive = of('Survived', 'NoCoverage', ...(group.isStrict ? (['Timeout'] as const) : []))
  const count = of('Killed', 'Timeout', 'Survived', 'NoCoverage').length
  // A file without mutants was not looked at.
  const killed = count === 0 ? 0 : 1 - alive.length / count
  process.stdout.write(
    `${file}: ${count} mutants, ${of('Killed').length} killed, ${of('Timeout').length} without an end, ` +
      `${of('Survived').length} alive, ${of('NoCoverage').length} never run: ${(killed * 100).toFixed(1)} %\n` +
      alive.map(mutant => `    ${lineOf(mutant)}\n`).join(''),
  )
  const wrong: string[] = []
  if (killed < LEAST_KILLED) wrong.push(`${(killed * 100).toFixed(1)} % of its mutants are killed`)
  if (group.isStrict && alive.length > 0) wrong.push(`${alive.length} live where none may`)
  tell(file, {group: file, count, more: {killed: count - alive.length}, wrong})
}

const WORDS: Partial<Record<Mutant['status'], string>> = {
  Survived: 'alive',
  NoCoverage: 'never run',
  Timeout: 'without an end',
}

/** Where it is, and what stands there instead. */
function lineOf({status, mutatorName, replacement = '', location: {start}}: Mutant): string {
  const text = replacement.replace(/\s+/g, ' ').slice(0, 120)
  return `${start.line}:${start.column} ${WORDS[status] ?? status}: ${mutatorName} → ${text}`
}
