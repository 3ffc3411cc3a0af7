/** One disk that does not take what is written, and one command that writes: nothing half, nothing in silence, and well again with room. */
import {existsSync, readFileSync} from 'node:fs'
import {FILE_COMMANDS, type FileCommand} from './file-commands.js'
import {type Disk, FULL_DISKS, LOCKED_DISKS, ODD_MASKS} from './file-disk.js'
import {type Content, contentOf, DATABASES, FileHome, type Template} from './file-home.js'
import {checkDirectory, checkWords, documentOf, runErrand, told} from './file-run.js'
import type {SandboxSide} from './sandbox-side.js'

export interface DiskCell {
  readonly disk: Disk
  readonly command: FileCommand
}

export function nameOfDisk({disk, command}: DiskCell): string {
  return `${disk.name} × ${command.name}`
}

export const DISKS: readonly Disk[] = [...FULL_DISKS, ...LOCKED_DISKS, ...ODD_MASKS]

export function allDiskCells(): DiskCell[] {
  return DISKS.flatMap(disk => FILE_COMMANDS.map(command => ({disk, command})))
}

/** Each disk once and each command twice. */
export function shortDiskCells(): DiskCell[] {
  return FILE_COMMANDS.flatMap((command, n) =>
    [n, n + 13].map(turn => ({disk: DISKS[turn % DISKS.length] as Disk, command})),
  )
}

/** Rows that a command may leave although it could not do its work: what it learned, and what it had begun. */
const LEARNED = [
  'access_tokens',
  'offers',
  'cities',
  'generation',
  'reservations',
  'subscriptions_begun',
  'meta',
]

/** Runs it; returns what is wrong, one line each. */
export async function runDiskCell(
  template: Template,
  side: SandboxSide,
  {disk, command}: DiskCell,
): Promise<string[]> {
  if (disk.lacks?.() !== undefined) return []
  const home = new FileHome(template)
  try {
    const errand = await command.errand(home, side)
    const before = stateOf(home)
    const {options, after} = disk.make(home)
    const finished = await runErrand(home, errand, options).finally(after)
    const wrong = checkWords(finished, command)
    const well = command.exit ?? 0
    const {exit} = finished
    const isBlind = exit === 4 && disk.isBlind
    if (![well, 2, 10].includes(Number(exit)) && !isBlind) wrong.push(`exit ${exit}, not ${well} or 2`)
    if (exit === 2 && !disk.isBlind) wrong.push(...checkRefusal(finished))
    if (exit === 2) wrong.push(...checkOld(command, before, stateOf(home)))
    wrong.push(...checkDirectory(home), ...((await errand.check?.(finished)) ?? []))
    if (exit !== well) {
      const again = await runErrand(home, errand)
      if (again.exit !== well) wrong.push(`with room again it ends with ${again.exit}: ${told(again)}`)
      wrong.push(...((await errand.check?.(again)) ?? []))
    }
    return wrong.length === 0 ? [] : [...wrong, told(finished)]
  } finally {
    home.remove()
  }
}

function checkRefusal(finished: Parameters<typeof documentOf>[0]): string[] {
  const {code = '', message = '', hint = ''} = documentOf(finished)?.error ?? {}
  const wrong: string[] = []
  if (!/^(storage_|journal_|settings_invalid|cannot_write|invalid_input)/.test(code))
    wrong.push(`the code is ${code}`)
  if (!/config|the directory \/|\.pdf|\.har|\.zip/.test(message)) wrong.push('the message names no file')
  if (!/space|writable|readable|disk|BOOKCTL_CONFIG_DIR|file/.test(hint))
    wrong.push('the hint does not say what to do')
  return wrong
}

interface Stored {
  readonly settings: string | undefined
  readonly databases: ReadonlyMap<string, Content | undefined>
}

function stateOf(home: FileHome): Stored {
  const config = home.path('config.json')
  return {
    settings: existsSync(config) ? readFileSync(config, 'utf8') : undefined,
    databases: new Map(DATABASES.map(name => [name, contentOf(home.path(name))])),
  }
}

/** What was refused changed nothing, but for what was learned on the way and what `removes` had begun to remove. */
function checkOld({removes = []}: FileCommand, before: Stored, after: Stored): string[] {
  const wrong: string[] = []
  if (before.settings !== after.settings) wrong.push('config.json was changed')
  for (const [name, old] of before.databases) {
    const now = after.databases.get(name)
    if (now === undefined) wrong.push(`${name} is gone`)
    else if (now.integrity !== 'ok') wrong.push(`${name}: ${now.integrity}`)
    for (const [table, rows] of Object.entries(old?.tables ?? {})) {
      const kept = now?.tables[table] ?? []
      if (removes.includes(table)) continue
      const isSame = LEARNED.includes(table)
        ? table === 'generation' || rows.every(row => kept.includes(row))
        : rows.join() === kept.join()
      if (!isSame) wrong.push(`${name}: ${table} was ${rows.length} rows, and is ${kept.length}`)
    }
  }
  return wrong
}
