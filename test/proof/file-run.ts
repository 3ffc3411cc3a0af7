/** Runs a command in a home whose files are as they are, servers too, and says what is wrong whatever lay there. */
import type {ChildProcess} from 'node:child_process'
import {existsSync, lstatSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import type {Finished, RunOptions} from '../support/bookctl.js'
import {hasStack} from '../support/stack.js'
import type {Errand, FileCommand} from './file-commands.js'
import {type FileHome, PEOPLE, SECRETS} from './file-home.js'

/** Ours: ten gigabytes of nothing take their time on a machine that does other things beside. */
const MOST_MILLISECONDS = 300_000

export function runErrand(home: FileHome, errand: Errand, options: RunOptions = {}): Promise<Finished> {
  return home.run([...errand.argv, '--json'], {
    ...{limitMilliseconds: MOST_MILLISECONDS, ...options},
    onStart(child) {
      options.onStart?.(child)
      if (errand.serve) serve(child, errand.serve)
    },
  })
}

/** Waits for the line that says it is ready. */
function serve(child: ChildProcess, use: NonNullable<Errand['serve']>): void {
  let text = ''
  let isReady = false
  child.stdout?.on('data', piece => {
    text += piece
    const line = text.split('\n').find(each => each.includes('"ready"'))
    if (isReady || line === undefined || !text.includes('\n')) return
    isReady = true
    void use(JSON.parse(line)).finally(() => child.kill('SIGTERM'))
  })
}

interface ErrorDocument {
  readonly error?: {readonly code?: string; readonly message?: string; readonly hint?: string}
}

/** The last document on stdout. */
export function documentOf({stdout}: Finished): ErrorDocument | undefined {
  for (const text of [stdout, stdout.trimEnd().split('\n').at(-1) ?? '']) {
    try {
      return JSON.parse(text) as ErrorDocument
    } catch {
      // A stream of lines.
    }
  }
  return undefined
}

/** What must hold of every command, however it ended: one clear word and no secret. */
export function checkWords(finished: Finished, {tellsPeople, tellsSecret}: FileCommand): string[] {
  const {exit, stdout, stderr} = finished
  const wrong: string[] = []
  const told = stdout + stderr
  if (exit === 1) wrong.push('ended with 1, a defect')
  if (exit === 'SIGKILL') wrong.push('did not end')
  else if (typeof exit === 'string') wrong.push(`ended by ${exit}`)
  if (hasStack(told)) wrong.push('a stack trace')
  const kept = [...(tellsSecret ? [] : SECRETS), ...(tellsPeople && exit === 0 ? [] : PEOPLE)]
  for (const secret of kept) if (told.includes(secret)) wrong.push(`told a secret: ${secret}`)
  const error = documentOf(finished)?.error
  if (exit !== 0 && exit !== 143 && !(error?.code && error.message && error.hint))
    wrong.push('no error with code, message and hint')
  return wrong
}

/** 0700 and 0600, and nothing left behind; `except` is left as it was. */
export function checkDirectory(home: FileHome, except: (path: string) => boolean = () => false): string[] {
  const wrong: string[] = []
  if (!existsSync(home.configDirectory)) return []
  for (const name of ['', ...(readdirSync(home.configDirectory, {recursive: true}) as string[])]) {
    const stats = lstatSync(join(home.configDirectory, name))
    if (/\.tmp$/.test(name)) wrong.push(`left ${name}`)
    if (except(name) || stats.isSymbolicLink()) continue
    if ((stats.mode & 0o077) !== 0)
      wrong.push(`${name || 'the directory'} has mode ${(stats.mode & 0o777).toString(8)}`)
  }
  const strange = readdirSync(home.directory).filter(name => /^\..*\.tmp$/.test(name))
  return [...wrong, ...strange.map(name => `left ${name}`)]
}

export function told({stdout, stderr}: Finished): string {
  return `  ${stdout.replaceAll(/\s+/g, ' ').slice(0, 500)} | ${stderr.slice(0, 300)}`
}
