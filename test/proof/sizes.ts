/**
 * Sizes: commands read answers of ten megabytes that are wide, long or deep, within limits of processor time and memory. Each
 * ends with a result or an error of its own, in a time that grows with the size of the answer and no faster. The same holds for
 * the sandbox with a body of a megabyte.
 */
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Finished} from '../support/bookctl.js'
import {startSandbox} from '../support/sandbox.js'
import {ScriptedService} from '../support/scripted-service.js'
import {hasStack} from '../support/stack.js'
import {SEARCH} from '../support/stay.js'
import {type Cell, type Own, part} from './shared/part.js'
import {ending, Home, parse} from './shared/scene.js'

const COUNT = 130_000
const nested = (levels: number, open: string, close: string) =>
  `${open.repeat(levels)}1${close.repeat(levels)}`

/** The size of an answer: what is added to a record, or how many records there are. */
const SHAPES: Readonly<Record<string, () => {readonly more?: string; readonly times?: number}>> = {
  '130,000 fields': () => ({
    more: Array.from({length: COUNT}, (_, n) => `"field_${n}":"${'x'.repeat(60)}"`).join(','),
  }),
  '130,000 records': () => ({times: COUNT}),
  'a text of 9 MB': () => ({more: `"note":"${'long '.repeat(1_800_000)}"`}),
  'a text of 4,000,000 lines': () => ({more: `"note":"${'\\n'.repeat(4_000_000)}"`}),
  ...Object.fromEntries(
    [1000, 10_000, 100_000].flatMap(levels => [
      [`objects, ${levels} deep`, () => ({more: `"note":${nested(levels, '{"a":', '}')}`})],
      [`lists, ${levels} deep`, () => ({more: `"note":${nested(levels, '[', ']')}`})],
    ]),
  ),
}

/** The arguments of a command, and the record that its answer consists of. */
const COMMANDS: Readonly<
  Record<string, {readonly argv: readonly string[]; readonly record: string; readonly list?: string}>
> = {
  account: {argv: ['account'], record: '"balance":"1.00","currency":"EUR"'},
  'hotels search': {
    argv: SEARCH,
    record: '"offer_id":"off_N","hotel_name":"Pera","price":{"total":"1.00","currency":"EUR"}',
    list: 'offers',
  },
  'reservations list': {
    argv: ['reservations', 'list'],
    record: '"reservation_ref":"RSV-N","status":"CONFIRMED"',
    list: 'reservations',
  },
  'reservations show': {
    argv: ['reservations', 'show', 'RSV-0'],
    record: '"reservation_ref":"RSV-N","status":"CONFIRMED"',
  },
}

const FORMATS = ['--format table', '--format csv', '--json', '--json -vv', '--format table -vv']

function answerOf({record, list}: (typeof COMMANDS)[string] & object, shape: string): string {
  const {more, times = 1} = SHAPES[shape]?.() ?? {}
  const records = Array.from(
    {length: times},
    (_, n) => `{${record.replace('_N"', `_${n}"`).replace('-N"', `-${n}"`)}${more ? `,${more}` : ''}}`,
  )
  return list ? `{"data":{"${list}":[${records}]}}` : `{"data":${times > 1 ? `[${records}]` : records}}`
}

const TIMEOUT_SECONDS = 6
/** Processor time, which does not depend on other programs. */
const MOST_SECONDS = 20
const MOST_MEGABYTES = 700

/** Writes the resource usage to a file at exit. */
const USED = `import fs from "node:fs"; process.on("exit", () => fs.writeFileSync(process.env.PROOF_USED, JSON.stringify(process.resourceUsage())))`
const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(USED)}`

/** Runs the command, and returns its processor time and peak memory. */
async function measured(home: Home, argv: readonly string[]) {
  const used = join(home.directory, 'used')
  const finished = await home.run(argv, {env: {NODE_OPTIONS, PROOF_USED: used}})
  if (typeof finished.exit !== 'number') return {finished, seconds: Infinity, megabytes: Infinity}
  const {userCPUTime, systemCPUTime, maxRSS} = JSON.parse(readFileSync(used, 'utf8'))
  return {finished, seconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024}
}

function wrongIn({exit, stdout, stderr}: Finished, format: string): string[] {
  return [
    ...(exit === 1 || typeof exit !== 'number' ? [`ended with ${exit}`] : []),
    ...(hasStack(stdout + stderr) ? ['a stack trace'] : []),
    // JSON output is parsed again, however deep it is.
    ...(format.includes('--json') && parse(stdout) === undefined ? ['not one JSON document'] : []),
  ]
}

async function tryAnswer(own: Own, command: string, shape: string) {
  const row = COMMANDS[command] as (typeof COMMANDS)[string] & object
  const service = own(await ScriptedService.answering({status: 200, body: answerOf(row, shape)}))
  const home = own(new Home(service.env))
  const wrong: string[] = []
  for (const format of FORMATS) {
    const argv = [...row.argv, ...format.split(' '), '--timeout', String(TIMEOUT_SECONDS)]
    const {finished, seconds, megabytes} = await measured(home, argv)
    const found = wrongIn(finished, format)
    if (seconds > MOST_SECONDS) found.push(`took ${seconds.toFixed(1)} s`)
    if (megabytes > MOST_MEGABYTES) found.push(`took ${megabytes.toFixed(0)} MB`)
    wrong.push(...found.map(text => `${format}: ${text} (${ending(finished).slice(0, 200)})`))
  }
  return {count: FORMATS.length, wrong}
}

/** The time may grow by at most this factor if there are eight times as many fields. */
const MOST_TIMES = 24
const TOO_SHORT_MILLISECONDS = 300

/** Posts a body with `count` unknown fields, about a megabyte at most. Returns milliseconds. */
async function postFields(own: Own, path: string, count: number): Promise<number> {
  const {call} = await own(await startSandbox()).client()
  const body = Object.fromEntries(Array.from({length: count}, (_, n) => [`f${n}`, n % 10]))
  const began = performance.now()
  await call('POST', path, body)
  return performance.now() - began
}

const bodyCell = (path: string): Cell<object> => ({
  name: `the sandbox × 80,000 fields to ${path}`,
  group: 'the sandbox',
  async run(_, __, own) {
    const few = await postFields(own, path, 10_000)
    const many = await postFields(own, path, 80_000)
    const most = Math.max(MOST_TIMES * few, TOO_SHORT_MILLISECONDS)
    const wrong = many > most ? [`${many.toFixed(0)} ms, and ${few.toFixed(0)} ms for an eighth of it`] : []
    return {count: 2, wrong}
  },
})

const answerCell = (command: string, shape: string, isSample = false): Cell<object> => ({
  name: `${command} × ${shape}${isSample ? ', a sample' : ''}`,
  group: command,
  isSample,
  run: (_, __, own) => tryAnswer(own, command, shape),
})

export const sizes = part<object>({
  title: 'Sizes',
  unit: 'runs',
  cells: [
    answerCell('account', 'objects, 1000 deep', true),
    ...Object.keys(COMMANDS).flatMap(command => Object.keys(SHAPES).map(shape => answerCell(command, shape))),
    ...['/hotels/search', '/reservations/hotel', '/webhooks/subscriptions'].map(bodyCell),
  ],
  // One cell at a time, because another one would slow it down.
  atOnce: 1,
})
