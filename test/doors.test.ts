/**
 * Which room may import which, which places may use which package, and where tests are: checks the rules in docs/architecture.md
 * and CONTRIBUTING.md.
 */
import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'

const SRC = fileURLToPath(new URL('../src', import.meta.url))
const TEST = fileURLToPath(new URL('.', import.meta.url))

/** Rooms of src in which the path of a test follows from the path of the tested file. */
const TESTED_BY_PATH = ['api', 'cli', 'contract', 'sandbox', 'state', 'storage', 'webhooks']

const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  webhooks: ['contract'],
  api: ['contract'],
  storage: [],
  state: ['contract', 'storage'],
  sandbox: ['contract', 'webhooks', 'storage'],
  cli: ['api', 'state', 'webhooks', 'contract', 'storage'],
  commands: ['cli', 'api', 'state', 'webhooks', 'contract', 'storage'],
}

/** The folders of a room from the bottom up. Each may import those before it; `.` stands for files directly in the room. */
const STOREYS: Record<string, readonly string[]> = {
  api: ['.', 'redact', 'http', 'answers', 'auth', 'trace', 'operations', 'reserve'],
  sandbox: [
    'base',
    'certify',
    'catalogue',
    'store',
    'voucher',
    'booking',
    'delivery',
    'http',
    'controls',
    'pages',
    '.',
  ],
  cli: ['input', 'terminal', 'session', 'shell', 'features'],
  state: ['postgres', '.'],
  webhooks: ['signature', 'captures', 'diagnose', 'receive', 'forward', 'observe', 'probe'],
}

/** Only these commands may import the sandbox. */
const MEETS_SANDBOX = /^commands\/(sandbox\/|demo\.ts)/

/** Packages that only certain files may use, with the paths of those files. */
const KEPT_IN: Record<string, RegExp> = {
  'lossless-json': /^contract\/json\.ts$/,
  undici: /^api\/http\/connection\.ts$/,
  libsql: /^storage\//,
  pg: /^state\/postgres\/connection\.ts$/,
  conf: /^state\/settings-change\.ts$/,
  hono: /^sandbox\//,
  '@hono/node-server': /^(sandbox|webhooks)\//,
  pdfkit: /^sandbox\//,
  '@oclif/core': /^(cli|commands)\//,
  inquirer: /^cli\/terminal\/prompts\//,
  '@inquirer/core': /^cli\/terminal\/prompts\//,
  'string-width': /^cli\/terminal\//,
  'wrap-ansi': /^cli\/terminal\/text\.ts$/,
  'cli-table3': /^cli\/terminal\/table\.ts$/,
  picocolors: /^cli\/terminal\/colour\.ts$/,
  'csv-stringify': /^cli\//,
  'csv-parse': /^cli\/features\/batch\//,
  'libphonenumber-js': /^cli\//,
  fflate: /^cli\//,
  '@jmespath-community/jmespath': /^(cli|webhooks)\//,
  '@modelcontextprotocol': /^cli\/features\/agents\//,
  '@napi-rs/keyring': /^state\//,
  '@peculiar': /^cli\/features\/webhooks\/listen-tls\.ts$/,
}

const files = readdirSync(SRC, {recursive: true, encoding: 'utf8'})
  .map(file => file.replaceAll('\\', '/'))
  .filter(file => file.endsWith('.ts'))
const textOf = (file: string) => readFileSync(join(SRC, file), 'utf8')

/** All imports: the importing file, the name in the import, and the file in src that it refers to, if any. */
const imports = files.flatMap(file =>
  [...textOf(file).matchAll(/(?:^|\s)(?:from|import)\s*\(?\s*'([^']+)'/gm)].map(([, from = '']) => {
    const path = new URL(from, `file:///${file}`).pathname.slice(1).replace(/\.js$/, '.ts')
    return {file, from, to: from.startsWith('.') ? path : undefined}
  }),
)

/** Returns room and folder of a file in src: `['api', 'http']` for `api/http/send.ts`, `['api', '.']` for `api/types.ts`. */
function placeOf(file: string): [room: string, storey: string] {
  const [room = '', storey = '', ...rest] = file.split('/')
  return [room, rest.length === 0 ? '.' : storey]
}

/** The files that each file imports, including types. */
const neighbours = new Map(files.map(file => [file, new Set<string>()]))
for (const {file, to} of imports) if (to) neighbours.get(file)?.add(to)

/** Reports whether `file` imports `wanted` directly or through other files. */
function reaches(file: string, wanted: string, seen = new Set<string>()): boolean {
  return [...(neighbours.get(file) ?? [])].some(next => {
    if (next === wanted) return true
    if (seen.has(next)) return false
    seen.add(next)
    return reaches(next, wanted, seen)
  })
}

test('rooms import only the rooms they may', () => {
  expect(imports.length).toBeGreaterThan(100)
  const wrong = imports.filter(({file, to}) => {
    if (to === undefined) return false
    const [[from], [room]] = [placeOf(file), placeOf(to)]
    if (room === from || (room === 'sandbox' && MEETS_SANDBOX.test(file))) return false
    return !MAY_IMPORT[from]?.includes(room)
  })
  expect(wrong).toEqual([])
})

test('inside a room, folders import only the folders below them', () => {
  const wrong = imports.filter(({file, to}) => {
    const [room, storey] = placeOf(file)
    const storeys = STOREYS[room]
    if (storeys === undefined || to === undefined) return false
    const [toRoom, toStorey] = placeOf(to)
    return toRoom === room && !storeys.slice(0, storeys.indexOf(storey) + 1).includes(toStorey)
  })
  expect(wrong).toEqual([])
})

test('no file imports itself by way of others', () => {
  expect(files.filter(file => reaches(file, file))).toEqual([])
})

test('no two folders import each other', () => {
  const folderOf = (file: string) => file.slice(0, file.lastIndexOf('/'))
  const pairs = new Set(
    [...neighbours].flatMap(([file, all]) => [...all].map(next => `${folderOf(file)} ${folderOf(next)}`)),
  )
  const mutual = [...pairs].filter(pair => {
    const [from = '', to = ''] = pair.split(' ')
    return from !== to && pairs.has(`${to} ${from}`)
  })
  expect(mutual).toEqual([])
})

test('packages are used where they belong', () => {
  const wrong = imports.filter(one =>
    Object.entries(KEPT_IN).some(
      ([name, place]) => (one.from === name || one.from.startsWith(`${name}/`)) && !place.test(one.file),
    ),
  )
  expect(wrong).toEqual([])
})

test('what is said on stderr goes through the sanitiser of cli/terminal/talk.ts', () => {
  const writers = files.filter(file => /\bstderr(\(\))?\.write\(/.test(textOf(file)))
  expect(writers.sort()).toEqual(['cli/shell/main.ts', 'cli/terminal/streams.ts', 'cli/terminal/talk.ts'])
})

test('a test has the path of the file, or of the folder, that it tests', () => {
  const tests = TESTED_BY_PATH.flatMap(room =>
    readdirSync(join(TEST, room), {recursive: true, encoding: 'utf8'})
      .filter(file => file.endsWith('.test.ts'))
      .map(file => join(room, file)),
  )
  expect(tests.length).toBeGreaterThan(30)
  // send.test.ts tests send.ts, and so does send.again.test.ts.
  const astray = tests.filter(file => {
    const tested = join(SRC, file.replace(/(\.[^./\\]+)?\.test\.ts$/, ''))
    return !existsSync(`${tested}.ts`) && !existsSync(tested)
  })
  expect(astray).toEqual([])
})
