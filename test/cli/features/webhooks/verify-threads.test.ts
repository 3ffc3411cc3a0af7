/** With threads, the results of a capture are the same, byte for byte, as those of one thread. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {Worker} from 'node:worker_threads'
import fc from 'fast-check'
import {afterAll, expect, test} from 'vitest'
import {verifyInputs} from '../../../../src/cli/features/webhooks/verify-inputs.js'
import {type Printing, printResults} from '../../../../src/cli/features/webhooks/verify-results.js'
import {timeOfJudging, type VerifyTerms} from '../../../../src/cli/features/webhooks/verify-terms.js'
import {
  type ThreadData,
  type ThreadOutput,
  VerifyThreads,
} from '../../../../src/cli/features/webhooks/verify-threads.js'
import {type OutputFlags, renderResult} from '../../../../src/cli/terminal/output.js'
import {captureRecord} from '../../../../src/webhooks/captures/records.js'
import {Home} from '../../../support/bookctl.js'
import {HEADER_NAMES, SIGNING_SECRET, signatureOf} from '../../../support/webhook-files.js'

const T = 1_700_000_000
const BUILT = new URL('../../../../dist/cli/features/webhooks/verify-thread.js', import.meta.url)
const ORIGINAL = '{"id":"evt_kept","type":"voucher.ready","data":{"total":1.10}}'
const home = new Home()
const {directory} = home

function termsWith(more: Partial<VerifyTerms> = {}): VerifyTerms {
  const {at = 'received'} = more
  return {
    secrets: [
      {name: 'old', secret: 'whsec_old'},
      {name: 'file', secret: SIGNING_SECRET},
    ],
    otherSecrets: () => [{name: 'whsub_other', secret: 'whsec_other'}],
    removedSecrets: () => [],
    findOriginal: async id => (id === 'evt_kept' ? Buffer.from(ORIGINAL) : undefined),
    names: HEADER_NAMES,
    at,
    now: timeOfJudging(at),
    toleranceSeconds: 300,
    inVain: {count: 0},
    ...more,
  }
}

interface Form {
  readonly printing: Printing
  readonly output: ThreadOutput
  readonly jobs: number
  readonly sliceBytes: number
}

const formOf = (flags: OutputFlags, jobs: number, sliceBytes: number): Form => ({
  printing: flags.json ? 'one document' : 'as they come',
  output: {isDocument: flags.json === true, flags, explains: Object.keys(flags).length === 0},
  jobs,
  sliceBytes,
})

const FORMS: Readonly<Record<string, Form>> = {
  rows: formOf({}, 2, 1),
  lines: formOf({format: 'ndjson'}, 4, 700),
  columns: formOf({format: 'csv', columns: 'input,reason,findings'}, 2, 3000),
  ids: formOf({quiet: true}, 2, 100),
  document: formOf({json: true}, 3, 1000),
}

/** Verifies the file with threads, or without. Returns what is printed on stdout and stderr, and the counts. */
async function verified(file: string, terms: VerifyTerms, {printing, output}: Form, threads?: VerifyThreads) {
  const leftOut = {count: 0}
  const said: string[] = []
  const pieces: Uint8Array[] = []
  const results = verifyInputs([file], terms, leftOut, text => said.push(text), {replies: false, threads})
  const write = process.stdout.write
  // A document is written to stdout, by way of a file.
  process.stdout.write = ((piece: Uint8Array, done: () => void) => {
    pieces.push(Buffer.from(piece))
    done()
    return true
  }) as never
  try {
    const count = await printResults(
      results,
      1,
      printing,
      {
        print: async (result, continues) =>
          void pieces.push(Buffer.from(await renderResult(result, output.flags, {isTTY: false, continues}))),
        printText: async text => void pieces.push(text),
        tell: output.explains ? line => said.push(line) : undefined,
      },
      leftOut,
    )
    return {stdout: Buffer.concat(pieces).toString(), said, count, leftOut: leftOut.count}
  } finally {
    process.stdout.write = write
  }
}

interface Sent {
  readonly id: string
  readonly body: string
  readonly signed?: string
  readonly secret?: string
  readonly age?: number
}

/** Returns the line of a capture. `signed` is the body that was signed (default `body`). */
function lineOf({id, body, signed = body, secret = SIGNING_SECRET, age = 1}: Sent): string {
  const record = captureRecord({
    reason: 'ok',
    duplicate: false,
    receivedAt: T + age,
    ackMilliseconds: 1.25,
    rawHeaders: ['X-Service-Signature', signatureOf(signed, T, secret), 'X-Service-Event-Id', id],
    body: Buffer.from(body),
  })
  return JSON.stringify(record)
}

const bodyOf = (id: string, note: string) => JSON.stringify({id, type: 'voucher.ready', data: {note}})

const note = fc.oneof(
  fc.constant(''),
  fc.string({unit: 'binary', maxLength: 20}),
  fc.constant('x'.repeat(2000)),
)
const valid = fc.tuple(fc.integer({min: 1, max: 99}), note).map(([n, text]) => {
  const id = `evt_${n}`
  return lineOf({id, body: bodyOf(id, text)})
})
const faulty = fc.constantFrom(
  lineOf({id: 'evt_a', body: bodyOf('evt_a', 'a'), secret: 'whsec_other'}),
  lineOf({id: 'evt_b', body: `${bodyOf('evt_b', 'b')}\n`, signed: bodyOf('evt_b', 'b')}),
  lineOf({id: 'evt_c', body: bodyOf('evt_c', 'c'), age: 900}),
  lineOf({id: 'evt_d', body: bodyOf('evt_other', 'd')}),
  lineOf({id: 'evt_kept', body: ORIGINAL.replace('1.10', '1.1'), signed: ORIGINAL}),
  lineOf({id: 'evt_e', body: bodyOf('evt_e', 'e')}).slice(0, -60),
  lineOf({id: 'evt_f', body: bodyOf('evt_f', 'f')}).replace('"x-service-signature"', '"x-none"'),
)
/** No cause is found for it. */
const hopeless = fc.constant(lineOf({id: 'evt_w', body: bodyOf('evt_w', 'w'), secret: 'whsec_unknown'}))
const other = fc.constantFrom('', ' ', '{"type":"forward"}', '{"a":1}', 'no JSON', '{"records": [', ']}')
const line = fc.oneof(
  {arbitrary: valid, weight: 12},
  {arbitrary: faulty, weight: 4},
  {arbitrary: hopeless, weight: 2},
  {arbitrary: other, weight: 3},
)
const capture = fc
  .tuple(
    fc.constantFrom('', '\ufeff'),
    valid,
    fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\r\n', '\n\n')), {maxLength: 40}),
    fc.oneof(line, fc.constant('')),
  )
  .map(([mark, first, lines, last]) => `${mark}${first}\n${lines.flat().join('')}${last}`)

const terms = termsWith()
const pools = Object.entries(FORMS).map(([name, form]) => {
  const start = (data: ThreadData) => new Worker(BUILT, {workerData: data})
  return {name, form, threads: new VerifyThreads(terms, {...form, start})}
})
afterAll(async () => {
  await Promise.all(pools.map(({threads}) => threads.close()))
  home.remove()
})

test('the results, the warnings and the counts are those of one thread, in every format', async () => {
  const file = join(directory, 'random.ndjson')
  // Of the 400 searches that may be in vain, so many were before.
  const before = fc.constantFrom(0, 390, 396, 399, 400)
  const property = fc.asyncProperty(capture, before, async (text, count) => {
    writeFileSync(file, text)
    for (const {form, threads} of pools) {
      terms.inVain.count = count
      const alone = await verified(file, terms, form)
      const inVain = terms.inVain.count
      terms.inVain.count = count
      expect(await verified(file, terms, form, threads)).toEqual(alone)
      expect(terms.inVain.count).toBe(inVain)
    }
  })
  await fc.assert(property, {numRuns: 25})
})

test('causes are searched for until 400 searches of the whole file were in vain, however many threads search', async () => {
  const file = join(directory, 'in-vain.ndjson')
  const body = bodyOf('evt_1', '')
  const kinds = [
    lineOf({id: 'evt_1', body}),
    lineOf({id: 'evt_1', body, secret: 'whsec_unknown'}),
    lineOf({id: 'evt_1', body, secret: 'whsec_other'}),
  ]
  writeFileSync(file, Array.from({length: 60}, (_, n) => `${kinds[n % 3]}\n`).join(''))
  const form = FORMS.lines as Form
  const threads = pools.find(({name}) => name === 'lines')?.threads
  for (const before of [389, 392, 395, 396, 399]) {
    terms.inVain.count = before
    const alone = await verified(file, terms, form)
    terms.inVain.count = before
    const {stdout, count} = await verified(file, terms, form, threads)
    expect(stdout).toBe(alone.stdout)
    expect(count).toEqual({read: 60, invalid: 40, notChecked: 0})
    const notSearched = stdout.match(/The cause was not searched/g)
    expect(notSearched).toHaveLength(40 - 2 * (400 - before) + 1)
  }
})

const manyLines = (count: number) =>
  Array.from({length: count}, (_, n) => `${lineOf({id: `evt_${n}`, body: bodyOf(`evt_${n}`, '')})}\n`)

test('a usage error in a slice is the error of the whole, after the results before it', async () => {
  const file = join(directory, 'untimed.ndjson')
  const untimed = (manyLines(1)[0] as string).replace(/"received_at":"[^"]*"/, '"received_at":""')
  writeFileSync(file, [...manyLines(30), untimed, ...manyLines(30)].join(''))
  const threads = pools.find(({name}) => name === 'lines')?.threads
  const error = {kind: 'usage', details: {code: 'no_receiving_time'}}
  await expect(verified(file, terms, FORMS.lines as Form)).rejects.toMatchObject(error)
  await expect(verified(file, terms, FORMS.lines as Form, threads)).rejects.toMatchObject(error)
})

test.each([
  ['that ends', 'process.exit(3)', 'a thread of verify ended'],
  ['that fails', 'throw new Error("out of order")', 'out of order'],
  [
    'that ends at its first slice',
    'require("node:worker_threads").parentPort.once("message", () => process.exit(0))',
    'a thread of verify ended',
  ],
  [
    'without memory',
    'require("node:worker_threads").parentPort.once("message", () => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)) })',
    'memory',
  ],
])('a thread %s ends the check with an error', async (_, code, message) => {
  const file = join(directory, 'many.ndjson')
  writeFileSync(file, manyLines(100).join(''))
  const start = () => new Worker(code, {eval: true, resourceLimits: {maxOldGenerationSizeMb: 20}})
  const form = FORMS.lines as Form
  const threads = new VerifyThreads(termsWith(), {...form, start})
  await expect(verified(file, termsWith(), form, threads)).rejects.toThrow(message)
  await threads.close()
})

test('a store that fails while a cause is searched for ends the check with its error', async () => {
  const file = join(directory, 'store.ndjson')
  const wrong = lineOf({id: 'evt_w', body: bodyOf('evt_w', 'w'), secret: 'whsec_unknown'})
  writeFileSync(file, [...manyLines(10), wrong, '\n', ...manyLines(10)].join(''))
  const failing = termsWith({findOriginal: () => Promise.reject(new Error('the store fails'))})
  const form = FORMS.lines as Form
  const start = (data: ThreadData) => new Worker(BUILT, {workerData: data})
  const threads = new VerifyThreads(failing, {...form, start})
  await expect(verified(file, failing, form, threads)).rejects.toThrow('the store fails')
  await threads.close()
})
