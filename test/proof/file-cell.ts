/** One form of a file and one command that meets it: the old state or the new one, a clear word, and nobody else's file touched. */
import {createHash} from 'node:crypto'
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import type {FileCommand} from './file-commands.js'
import {FILE_COMMANDS} from './file-commands.js'
import {CONFIG_FORMS, type Form, LOCKS_FORMS, type Outcome, PLAIN_FORMS} from './file-forms.js'
import {DATABASE_FORMS} from './file-forms-database.js'
import {contentOf, DATABASES, FileHome, lookAt, type Template} from './file-home.js'
import {checkDirectory, checkWords, documentOf, runErrand, told} from './file-run.js'
import type {SandboxSide} from './sandbox-side.js'

const PLAIN_FILES = ['exchanges.jsonl', 'listen-ca.pem', 'listen-ca-key.pem', 'sandbox-running.json']

/** The forms of each file. */
export const FORMS: Readonly<Record<string, readonly Form[]>> = {
  'config.json': CONFIG_FORMS,
  ...Object.fromEntries(DATABASES.map(name => [name, DATABASE_FORMS])),
  ...Object.fromEntries(PLAIN_FILES.map(name => [name, PLAIN_FORMS])),
  locks: LOCKS_FORMS,
}

export interface FileCell {
  readonly file: string
  readonly form: Form
  readonly command: FileCommand
}

export function nameOfFile({file, form, command}: FileCell): string {
  return `${file}, ${form.name} × ${command.name}`
}

/** Every form of every file with every command that touches it. */
export function allFileCells(): FileCell[] {
  return Object.entries(FORMS).flatMap(([file, forms]) =>
    commandsOf(file).flatMap(command => forms.map(form => ({file, form, command}))),
  )
}

/** Each form once and each command once: files of one kind in turn, and for each file its commands in turn. */
export function shortFileCells(): FileCell[] {
  const turns = new Map<string, number>()
  const inTurn = (files: readonly string[], forms: readonly Form[]) =>
    forms.map((form, n) => [files[n % files.length] as string, form] as const)
  const chosen = [
    ...inTurn(DATABASES, DATABASE_FORMS),
    ...inTurn(['config.json'], CONFIG_FORMS),
    ...inTurn(PLAIN_FILES, PLAIN_FORMS),
    ...inTurn(['locks'], LOCKS_FORMS),
  ]
  return chosen.map(([file, form]) => {
    const commands = commandsOf(file)
    const turn = turns.get(file) ?? 0
    turns.set(file, turn + 1)
    return {file, form, command: commands[turn % commands.length] as FileCommand}
  })
}

function commandsOf(file: string): FileCommand[] {
  return FILE_COMMANDS.filter(({needs, uses = []}) => needs.includes(file) || uses.includes(file))
}

/** Runs it; returns what is wrong, one line each. */
export async function runFileCell(
  template: Template,
  side: SandboxSide,
  {file, form, command}: FileCell,
): Promise<string[]> {
  if (form.lacks?.() !== undefined) return []
  const home = new FileHome(template)
  const path = home.path(file)
  const victim = join(home.directory, 'victim')
  try {
    form.place(path, victim)
    const before = seen(path, victim)
    const others = DATABASES.filter(name => name !== file)
    const errand = await command.errand(home, side)
    const finished = await runErrand(home, errand)
    const {exit} = finished
    const isNeeded = command.needs.includes(file)
    const outcome: Outcome = isNeeded ? form.outcome : 'either'
    const isRefused = exit === 2
    const wrong = checkWords(finished, command)
    const well = command.exit ?? 0
    const exits = {refused: [2], well: [well], anew: anewExits(command), either: [2, well]}[outcome]
    if (!exits.includes(Number(exit))) wrong.push(`exit ${exit}, not ${exits.join(' or ')}`)
    if (isRefused) {
      const {code = '', message = ''} = documentOf(finished)?.error ?? {}
      if (!message.includes(file) && outcome !== 'anew') wrong.push(`the message does not name ${file}`)
      if (!/^(storage_|settings_invalid)/.test(code) && outcome !== 'anew') wrong.push(`the code is ${code}`)
    }
    const after = seen(path, victim)
    const isKept = isRefused && outcome !== 'anew'
    if (isKept ? before.join() !== after.join() : before[1] !== after[1])
      wrong.push(`was ${before.join()}, and is ${after.join()}`)
    const isLeft = (name: string) =>
      name.startsWith(file) && (isRefused || form.keepsMode === true || !isNeeded)
    wrong.push(...checkDirectory(home, isLeft))
    for (const name of others.filter(each => existsSync(home.path(each)))) {
      const {integrity} = contentOf(home.path(name)) ?? {}
      if (integrity !== 'ok') wrong.push(`${name}: ${integrity}`)
    }
    if (outcome !== 'either' || !isRefused) wrong.push(...((await errand.check?.(finished)) ?? []))
    return wrong.length === 0 ? [] : [...wrong, told(finished)]
  } finally {
    home.remove()
  }
}

/** An empty database has no secret and no entry in it: what needs one says so. */
function anewExits({exit = 0}: FileCommand): number[] {
  return [exit, 2, 4]
}

/** What lies there, in words that can be compared; an empty log, which SQLite makes to read, is none. */
function seen(path: string, victim: string): string[] {
  const log = lookAt(`${path}-wal`)
  const isNone = log?.kind === 'file' && log.content === EMPTY
  return [lookAt(path), lookAt(victim), isNone ? undefined : log].map(
    look => JSON.stringify(look) ?? 'nothing',
  )
}

const EMPTY = createHash('sha256').digest('hex')
