/**
 * A command loads no package that it does not use, whichever file of the build contains the package. Each package checked here
 * costs a tenth of a short command, or more.
 */
import {existsSync, readFileSync} from 'node:fs'
import {dirname, join, resolve} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import type {Home} from './support/bookctl.js'
import {ownDirectory, ownHome} from './support/own.js'
import {sandboxOfFile} from './support/served-sandbox.js'
import {EVENT, makeWebhookFiles, SIGNING_SECRET, signatureOf} from './support/webhook-files.js'

const PRELOAD = new URL('./loaded-preload.mjs', import.meta.url)
const DIST = fileURLToPath(new URL('../dist/', import.meta.url))
const HEAVY = [
  'zod',
  'undici',
  'libsql',
  'inquirer',
  '@inquirer/core',
  'hono',
  'pdfkit',
  'fflate',
  'conf',
  'ajv',
  'cli-table3',
  'csv-stringify',
  'pg',
  '@modelcontextprotocol/server',
]
const SEARCH = ['hotels', 'search', '--city', '101', '--check-in', '2030-06-01', '--nights', '2']
const T = 1_700_000_000

const sandbox = await sandboxOfFile()
await sandbox.home.run(['token'])

const ASKING = ['undici', 'libsql']

test.for([
  [[...SEARCH, '--nationality', 'TR', '--currency', 'EUR'], ASKING],
  [['whoami'], ['libsql']],
  [
    ['account', '--format', 'csv'],
    [...ASKING, 'csv-stringify'],
  ],
  [
    ['content', 'currencies', '--format', 'table'],
    [...ASKING, 'cli-table3'],
  ],
] as const)('%j with a token kept loads of the heavy packages %j', async ([argv, expected]) => {
  const {exit, stderr, loaded} = await runAndList(sandbox.home, argv)
  expect({exit, stderr}).toEqual({exit: 0, stderr: ''})
  expect(HEAVY.filter(name => loaded.has(name)).sort()).toEqual([...expected].sort())
})

test('a command that only asks loads of undici the client, and nothing that only other commands need', async () => {
  const {loaded} = await runAndList(sandbox.home, ['account'])
  expect(HEAVY.filter(name => loaded.has(name)).sort()).toEqual([...ASKING].sort())
  for (const name of ['src/state/state.ts', 'undici/lib/dispatcher/client.js']) expect(loaded).toContain(name)
  const others = [
    'state/event-store',
    'state/people-store',
    'state/postgres/shared',
    'api/trace/har',
    'api/trace/curl',
    'cli/shell/help/topics',
  ]
  for (const name of ['undici/index.js', ...others.map(file => `src/${file}.ts`)])
    expect(loaded).not.toContain(name)
})

test('the PostgreSQL client is loaded only if a store is set', async () => {
  const address = 'postgres://ann@127.0.0.1:1/booking?sslmode=verify-full'
  const {exit, loaded} = await runAndList(ownHome({...sandbox.env, BOOKCTL_STORE: address}), ['account'])
  expect(exit).toBe(7)
  expect(loaded.has('pg')).toBe(true)
})

const LIGHT = ['journal', 'config list', '__complete fish hotels price :', 'help']

test.each(LIGHT)('%s in a home with nothing in it loads none of them, and makes nothing', async line => {
  const empty = ownHome()
  const {exit, loaded} = await runAndList(empty, line.split(' '))
  expect(exit).toBe(0)
  expect(HEAVY.filter(name => loaded.has(name))).toEqual([])
  expect([...loaded].filter(name => name.startsWith('src/'))).not.toEqual([])
  expect(() => empty.kept()).toThrow('ENOENT')
})

test.for([
  [
    ['config', 'set', 'currency', 'EUR'],
    ['ajv', 'conf', 'libsql'],
  ],
  [['webhooks', 'verify', 'body.bin', '--signature', signatureOf(EVENT, T), '--at', String(T)], []],
])('%j loads of them %j', async ([argv = [], expected]) => {
  const home = ownHome({BOOKCTL_WEBHOOK_SECRET: SIGNING_SECRET})
  makeWebhookFiles(home.directory, T)
  const {exit, loaded} = await runAndList(home, argv)
  expect(exit).toBe(0)
  expect(HEAVY.filter(name => loaded.has(name)).sort()).toEqual(expected)
})

/**
 * Runs `bookctl ...argv`. Returns the names of the packages (`zod`), their files (`zod/index.js`) and our sources
 * (`src/api/operations/client.ts`) that were loaded.
 */
async function runAndList(home: Home, argv: readonly string[]) {
  const list = join(ownDirectory(), 'loaded')
  const env = {NODE_OPTIONS: `--import ${PRELOAD.href}`, LOADED_FILE: list}
  const finished = await home.run(argv, {env})
  const files = new Set(readFileSync(list, 'utf8').split('\n').filter(Boolean))
  return {...finished, loaded: new Set([...files].flatMap(sourcesOf).flatMap(namesOf))}
}

/** Returns the sources of a built file by its source map. Any other file is its own source. */
function sourcesOf(file: string): string[] {
  if (!file.startsWith(DIST) || !existsSync(`${file}.map`)) return [file]
  const {sources} = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as {sources: string[]}
  return sources.map(source => resolve(dirname(file), source))
}

/** Returns the name of our source, or of a package and its file. */
function namesOf(path: string): string[] {
  const [, file, name] = /.*\/node_modules\/(((?:@[^/]+\/)?[^/]+).*)/.exec(path) ?? []
  return file && name ? [name, file] : [path.replace(/^.*\/src\//, 'src/')]
}
