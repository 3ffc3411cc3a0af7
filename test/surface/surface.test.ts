/**
 * Compares the commands, flags and exit codes that scripts rely on with the committed list, so that no change goes unnoticed.
 * After an intended change: `npx vitest run test/surface/surface.test.ts --update`.
 */
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {EXITS} from '../../src/cli/shell/exit-codes.js'
import {globalFlags} from '../../src/cli/shell/global-flags.js'
import {VARIABLE_NAMES} from '../../src/cli/shell/help/environment.js'
import {COMMANDS, type ManifestCommand, type ManifestFlag} from '../support/manifest.js'

const commands = Object.entries(COMMANDS)
const SRC = fileURLToPath(new URL('../../src', import.meta.url))

/** Returns the text of all files in src except one. */
const textBut = (left: string) =>
  readdirSync(SRC, {recursive: true, encoding: 'utf8'})
    .filter(file => file.endsWith('.ts') && !file.endsWith(left))
    .map(file => readFileSync(join(SRC, file), 'utf8'))
    .join('\n')

test('commands, flags and exit codes are those of the committed list', async () => {
  const lines = commands.flatMap(([id, command]) => [
    `bookctl ${id.replaceAll(':', ' ')}${argumentsOf(command)}`,
    ...Object.entries(command.flags)
      .map(([name, flag]) => `    ${flagLine(name, flag)}`)
      .sort(),
  ])
  const everywhere = Object.entries(globalFlags).map(
    ([name, flag]) => `    ${flagLine(name, flag as ManifestFlag)}`,
  )
  const exits = Object.entries(EXITS).map(([name, {code}]) => `    ${code} ${name}`)
  const text = [...lines, 'every command', ...everywhere.sort(), 'exit codes', ...exits, ''].join('\n')
  await expect(text).toMatchFileSnapshot('surface.txt')
})

test.each(commands)('%s says what it does, and shows two examples', (_, command) => {
  expect(command.summary).toMatch(/^[A-Z].*[^.]$/)
  expect(command.examples?.length).toBeGreaterThanOrEqual(2)
})

test('no flag takes a secret', () => {
  const names = commands.flatMap(([, command]) => Object.entries(command.flags))
  const taking = names.filter(([name, flag]) => /secret|password|token/.test(name) && flag.type === 'option')
  expect(taking.map(([name]) => name).filter(name => !name.endsWith('-file'))).toEqual([])
})

test('no text names a command that does not exist', () => {
  // That file contains shell code, not prose.
  const named = [...textBut('completion-scripts.ts').matchAll(/bookctl ([a-z]+(?: [a-z]+)*)/g)]
    .map(([, words = '']) => words)
    // This is prose: the issuer of a certificate.
    .filter(words => words !== 'local sandbox')
  expect(named.length).toBeGreaterThan(50)
  const ids = [...commands.map(([id]) => id.replaceAll(':', ' ')), 'help', 'version']
  expect(named.filter(words => !ids.some(id => `${words} `.startsWith(`${id} `)))).toEqual([])
})

test('the table of variables has every one that is read, and no others', () => {
  const start = ['run.js', 'environment.js'].map(name => readFileSync(join(SRC, '../bin', name), 'utf8'))
  const text = [textBut('help/environment.ts'), ...start].join('\n')
  const found = [
    ...text.matchAll(/\b(BOOKCTL_[A-Z_]*[A-Z])\b/g),
    ...text.matchAll(/\benv\.([A-Z_]+)\b/g),
    ...text.matchAll(/\b([A-Z_]+)(?:: \w+)?\} = (?:process\.)?env\b/g),
  ].map(match => match[1] ?? '')
  // These variables are read by computed names, or by Node.
  const elsewhere = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME']
  const named = VARIABLE_NAMES
  // These variables are only set for oclif, or only tell where programs are.
  const set = ['BOOKCTL_DISABLE_THEME', 'HOME', 'COMSPEC', 'PATH']
  expect([...new Set(found)].filter(name => ![...named, ...set].includes(name))).toEqual([])
  expect(named.filter(name => !found.includes(name) && !elsewhere.includes(name))).toEqual([])
})

function argumentsOf(command: ManifestCommand): string {
  return Object.entries(command.args)
    .map(([name, argument]) => (argument.required ? ` ${name.toUpperCase()}` : ` [${name.toUpperCase()}]`))
    .join('')
}

function flagLine(name: string, flag: ManifestFlag): string {
  const value = flag.type === 'boolean' ? '' : `=${flag.options?.join('|') ?? 'VALUE'}`
  const more = [
    flag.char ? `-${flag.char}` : '',
    flag.multiple ? 'repeatable' : '',
    flag.env ?? '',
    flag.type === 'option' && flag.default !== undefined ? `default ${String(flag.default)}` : '',
  ]
  return [`--${name}${value}`, ...more].filter(Boolean).join(' ')
}
