/** Asks questions for the tests of prompts, in this process or in a real terminal. */
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import {beforeEach, vi} from 'vitest'
import {ownHome} from '../../../support/own.js'
import {atTerminal} from '../../../support/terminal.js'
import {askHere, type QuestionName} from './questions.js'

export const SCRIPT = fileURLToPath(new URL('./questions.ts', import.meta.url))
export const ACCESSIBLE = {BOOKCTL_ACCESSIBLE: '1'}

/** Sets up a terminal without settings for each test of a file. */
export function askInPlainSurroundings(): void {
  beforeEach(() => {
    vi.unstubAllEnvs()
    for (const name of ['NO_COLOR', 'FORCE_COLOR', 'BOOKCTL_ACCESSIBLE']) vi.stubEnv(name, undefined)
    vi.stubEnv('TERM', 'xterm-256color')
  })
}

export function ask(questions: readonly QuestionName[], env: Record<string, string> = {}, rows = 16) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  return askHere(questions, 60, rows)
}

export function askReally(questions: readonly QuestionName[], env: Record<string, string> = {}) {
  const command = [process.execPath, '--import', import.meta.resolve('tsx'), SCRIPT, ...questions]
  return atTerminal(ownHome(), [], {columns: 60, rows: 40, env, command})
}
