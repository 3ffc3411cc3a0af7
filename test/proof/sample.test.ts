/** The sample of the first third of the proof, and checks that the proof relies on. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {COMMANDS} from '../support/manifest.js'
import {hasStack} from '../support/stack.js'
import {ELSEWHERE, ROWS, SILENT, TO_RECEIVERS} from './faults/commands.js'
import {allLeakCells} from './leaks/leaks.js'
import {PARTS} from './parts.js'
import {sampleThird} from './sample.js'
import {CREDENTIALS, openScene} from './shared/scene.js'
import {Canaries, RESULTS, SWITCHES} from './shared/secrets.js'

sampleThird(0)

test('every command is in the fault matrix and the search for leaks, or is known to ask the service nothing', () => {
  const rows = new Set(ROWS.map(({command}) => command))
  const unstruck = [...Object.keys(SILENT), ...TO_RECEIVERS, ...ELSEWHERE]
  expect([...rows, ...unstruck].sort()).toEqual(Object.keys(COMMANDS).sort())
  expect(Object.keys(RESULTS).filter(id => !COMMANDS[id])).toEqual([])
  const leaks = PARTS.find(({title}) => title === 'Leaks')?.names ?? []
  const isSearched = (id: string) =>
    leaks.some(name => name.startsWith(`leak: ${id.replaceAll(':', ' ')} × all`))
  expect(unstruck.filter(id => !isSearched(id))).toEqual([])
})

test('every command meets every debug switch in the search for leaks, and so does every fault', () => {
  const cells = allLeakCells()
  const pairs = cells.flatMap(({row, debug, fault}) => [
    `row ${ROWS.indexOf(row)} ${debug.name}`,
    `fault ${fault.name} ${debug.name}`,
  ])
  const faults = new Set(cells.map(({fault}) => fault.name))
  expect(new Set(pairs).size).toBe((ROWS.length + faults.size) * SWITCHES.length)
})

test('a command without a row asks the service nothing', async () => {
  const {wire, close} = await openScene('http://127.0.0.1:1')
  const home = new Home({...CREDENTIALS, BOOKCTL_BASE_URL: `${wire.origin}/partner-api/v1`})
  onTestFinished(close)
  onTestFinished(() => home.remove())
  writeFileSync(join(home.directory, 'body.json'), '{}')
  writeFileSync(join(home.directory, 'signing.txt'), 'whsec_abcdefghijklmnopqrstuvwxyz0123456789\n')
  const exits: Record<string, unknown> = {}
  for (const [id, line] of Object.entries(SILENT)) exits[id] = (await home.run(line.split(' '))).exit
  // 2: the named file does not exist; 8: the event did not come; 9: no valid signature.
  expect(Object.entries(exits).filter(([, exit]) => ![0, 2, 8, 9].includes(Number(exit)))).toEqual([])
  expect([wire.connections, wire.requests]).toEqual([0, []])
})

test('a secret is found in every spelling, in each half of a long one, and nowhere else', () => {
  const canaries = new Canaries([])
  canaries.harvest('{"data":{"access_token":"tok/en+12345"}}')
  const bytes = Buffer.from('id:tok/en+12345x')
  const encoded = (['base64', 'base64url', 'hex'] as const).map(encoding => bytes.toString(encoding))
  const written = ['tok/en+12345', 'tok%2Fen%2B12345', 'tok%2fen%2b12345', 'tok\\/en+12345', ...encoded]
  for (const text of written) expect(canaries.seenIn(`a ${text} b`)).toEqual(['access token'])
  expect(canaries.seenIn('tok/en')).toEqual([])
  expect(canaries.seenIn('tok/en+12345', ['access token'])).toEqual([])
  canaries.add('at_0123456789abcdefghijklmnopqrst', 'access token')
  for (const half of ['at_0123456789abcd', 'efghijklmnopqrst'])
    expect(canaries.seenIn(half)).toEqual(['access token'])
})

test('a stack trace is known by its places, and nothing else is', () => {
  const traces = [
    'Error: x\n    at f (file:///p/bookctl/dist/chunks/a.js:12:5)',
    '{"message":"x\\n    at async node:internal/main:95:5"}',
    'file:///p/bookctl/dist/chunks/a.js:12\nthrow x',
  ]
  const others = ['  at 12:30 (local time)', 'looks at https://example.com:8443/v1', 'dist/manifest.json']
  expect([traces.filter(text => !hasStack(text)), others.filter(hasStack)]).toEqual([[], []])
})
