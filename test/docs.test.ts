/** The command reference in docs/commands/ matches the current commands. `npm run docs` writes it. */
import {execFileSync} from 'node:child_process'
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {COMMANDS} from './support/manifest.js'
import {ownDirectory} from './support/own.js'

const root = fileURLToPath(new URL('..', import.meta.url))

const read = (directory: string) =>
  Object.fromEntries(readdirSync(directory).map(name => [name, readFileSync(join(directory, name), 'utf8')]))

test('the committed reference is up to date, and has every command', () => {
  const fresh = ownDirectory()
  execFileSync(process.execPath, [join(root, 'scripts/docs.js'), fresh])
  const committed = read(join(root, 'docs/commands'))
  expect(committed).toEqual(read(fresh))
  const text = Object.values(committed).join('\n')
  for (const id of Object.keys(COMMANDS)) expect(text).toContain(`## \`bookctl ${id.replaceAll(':', ' ')}`)
  expect(text).not.toMatch(/node-v|linux|bookctl\/\d/)
})
