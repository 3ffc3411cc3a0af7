/**
 * A batch meets a fault at some of its trips: at their first attempt, or at all of them. The result says of each trip what is
 * true, the exit code fits, and without the fault the same command books what is left.
 */
import type {Finished} from '../../support/bookctl.js'
import {type Reply, replyBytes, replyHead, type WireFault, type WireRequest} from '../../support/wire.js'
import {randomOf} from '../kills/kills.js'
import type {Bench} from '../shared/bench.js'
import {type Cell, owning} from '../shared/part.js'
import {losing, parse, RESERVE, refusing, reservationsAt, shown} from '../shared/scene.js'
import {STORES, type StoreName} from '../shared/stores.js'
import {
  batchArgv,
  checkDocumentCounts,
  checkForms,
  checkMade,
  checkShown,
  type Document,
  documentOf,
  FAILED,
  type Group,
  madeAt,
  openGroup,
  referencesIn,
  runToEnd,
} from './group.js'
import {SEARCH, upTo} from './kills.js'

/** What becomes of a trip whose request meets a fault. */
type Ending = 'confirmed' | 'unknown' | 'refused' | 'not_sent'

interface Kind {
  /** Returns the fault. `other` is the answer to another trip, if there was one. */
  readonly fault: (other: () => Reply | undefined) => WireFault
  /** If only the first attempt meets it, and if all do. */
  readonly first: Ending
  readonly all: Ending
  /** Whether it would fail for the other trips too, so that none of them is begun. */
  readonly endsAll?: boolean
  /** The exit code when nothing of the file is booked, and all trips meet it. */
  readonly alone: number
}

const HTML = '<html><title>Sign in to the network</title></html>'
const html = (status: number): Reply => ({
  status,
  headers: {'content-type': 'text/html'},
  body: Buffer.from(HTML),
})
const answering = (forwards: boolean, reply: Reply): WireFault => ({
  forwards,
  play: () => [replyBytes(reply)],
})
const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)

const LOST = {first: 'confirmed', all: 'unknown', alone: 10} as const
const NO_ANSWER = {first: 'unknown', all: 'unknown', alone: 10} as const
const REFUSED = {first: 'refused', all: 'refused', alone: 5} as const

const KINDS: Readonly<Record<string, Kind>> = {
  'reset before': {...LOST, fault: () => losing(false)},
  'reset after': {...LOST, fault: () => losing(true)},
  'hangs before': {...LOST, fault: () => ({forwards: false, play: () => ['hang']})},
  'hangs after': {...LOST, fault: () => ({forwards: true, play: () => ['hang']})},
  'cut in the headers': {
    ...LOST,
    fault: () => ({forwards: true, play: reply => [half(replyHead(reply)), 'end']}),
  },
  'cut in the body': {
    ...LOST,
    fault: () => ({forwards: true, play: reply => [replyHead(reply), half(reply.body), 'end']}),
  },
  // Waiting for the rest of a body takes all of the time, so it is not repeated.
  'hangs in the body': {
    ...NO_ANSWER,
    fault: () => ({forwards: true, play: reply => [replyHead(reply), half(reply.body), 'hang']}),
  },
  ...Object.fromEntries(
    [500, 502, 503, 504].flatMap(status =>
      [false, true].map((forwards): [string, Kind] => [
        `${status} ${forwards ? 'after' : 'before'}`,
        {...LOST, fault: () => refusing(forwards, status, 'internal_error')},
      ]),
    ),
  ),
  'HTML 502 before': {...LOST, fault: () => answering(false, html(502))},
  'HTML 502 after': {...LOST, fault: () => answering(true, html(502))},
  'HTML 200 before': {...NO_ANSWER, fault: () => answering(false, html(200))},
  'HTML 200 after': {...NO_ANSWER, fault: () => answering(true, html(200))},
  'answered twice': {
    ...{first: 'confirmed', all: 'confirmed', alone: 0},
    fault: () => ({forwards: true, play: reply => [replyBytes(reply), replyBytes(reply)]}),
  },
  'another booking, and it is made': {
    ...NO_ANSWER,
    fault: other => ({forwards: true, play: reply => [replyBytes(other() ?? html(reply.status))]}),
  },
  'another booking, and it is not made': {
    ...NO_ANSWER,
    fault: other => ({forwards: false, play: () => [replyBytes(other() ?? html(201))]}),
  },
  '409 in progress': {...LOST, fault: () => refusing(false, 409, 'request_in_progress')},
  '429': {
    first: 'confirmed',
    all: 'not_sent',
    endsAll: true,
    alone: 5,
    fault: () => refusing(false, 429, 'rate_limited'),
  },
  '422': {...REFUSED, fault: () => refusing(false, 422, 'invalid_guest')},
  '402': {...REFUSED, endsAll: true, fault: () => refusing(false, 402, 'insufficient_balance')},
  '403': {
    first: 'not_sent',
    all: 'not_sent',
    endsAll: true,
    alone: 4,
    fault: () => refusing(false, 403, 'insufficient_scope'),
  },
  '401': {
    first: 'confirmed',
    all: 'not_sent',
    endsAll: true,
    alone: 4,
    fault: () => refusing(false, 401, 'invalid_token'),
  },
}

const COUNT = 20

interface Plan {
  /** The references whose requests meet the fault. */
  readonly rows: ReadonlySet<string>
  readonly isFirstOnly: boolean
}

/** Makes the faults of a wire, which `plan` turns on and off. */
function faultsOf(kind: Kind) {
  const met = new Set<string>()
  const replies = new Map<string, Reply>()
  let plan: Plan | undefined
  return {
    strike(next: Plan | undefined) {
      met.clear()
      plan = next
    },
    onExchange(request: WireRequest, reply: Reply) {
      if (RESERVE.path.test(request.path) && reply.status === 201) replies.set(referenceOf(request), reply)
    },
    faultOf(request: Omit<WireRequest, 'struck'>): WireFault | undefined {
      if (plan === undefined || !RESERVE.path.test(request.path)) return undefined
      const reference = referenceOf(request)
      if (!plan.rows.has(reference) || (plan.isFirstOnly && met.has(reference))) return undefined
      met.add(reference)
      return kind.fault(() => [...replies].find(([name]) => name !== reference)?.[1])
    },
  }
}

const referenceOf = ({body}: Pick<WireRequest, 'body'>) => String(parse(body)?.client_reference_id)

/** Returns the exit code of a result, by what it says of each trip. */
function exitOf({trips}: Document, alone: number): number {
  if (trips.some(({outcome}) => outcome === 'unknown')) return 10
  if (trips.every(({outcome, error}) => outcome === 'confirmed' && error === null)) return 0
  return trips.some(({outcome}) => outcome === 'confirmed') ? 3 : alone
}

interface Setting {
  readonly kind: Kind
  readonly isFirstOnly: boolean
  readonly continues: boolean
  readonly parallel: number
}

/** Checks a run during which the trips in `rows` met the fault. */
async function checkFaulty(
  group: Group,
  run: Finished,
  rows: ReadonlySet<string>,
  before: ReadonlySet<string>,
  {kind, isFirstOnly, continues, parallel}: Setting,
): Promise<string[]> {
  const made = await madeAt(group)
  const document = documentOf(run)
  const wrong = checkMade(group, made)
  if (document === undefined) return [...wrong, `prints no result and ends with ${run.exit}`]
  wrong.push(...checkShown(group, document, made), ...checkDocumentCounts(document))
  const exit = exitOf(document, kind.alone)
  if (run.exit !== exit) wrong.push(`ends with ${run.exit}, not ${exit}`)
  const wanted = isFirstOnly ? kind.first : kind.all
  const sent = referencesIn(reservationsAt(group.wire))
  const halts = wanted !== 'confirmed' && (kind.endsAll || (wanted === 'unknown' && !continues))
  for (const {client_reference_id: reference, outcome, error} of document.trips) {
    const isStruck = rows.has(reference) && sent.includes(reference)
    const allowed: string[] = isStruck ? [wanted] : ['confirmed']
    if (halts && !before.has(reference)) allowed.push('not_sent')
    if (!allowed.includes(outcome))
      wrong.push(
        `${reference}${isStruck ? ', which met the fault,' : ''} is ${outcome}: ${JSON.stringify(error)}`,
      )
    if (outcome !== 'confirmed' && error === null) wrong.push(`${reference} is ${outcome} without a reason`)
  }
  if (!halts || parallel > 1) return wrong
  // Of trips one by one, nothing comes after the one that ended the batch.
  const last = sent.findLastIndex(reference => rows.has(reference))
  const later = new Set(last < 0 ? [] : sent.slice(last + 1))
  return [...wrong, ...[...later].map(reference => `${reference} was begun after the end of the batch`)]
}

async function trial(
  group: Group,
  faults: ReturnType<typeof faultsOf>,
  setting: Setting,
  random: () => number,
): Promise<string[]> {
  const {wire, home, trips} = group
  const {parallel, continues, isFirstOnly} = setting
  const references = trips.map(({reference}) => reference)
  const timeLimit = ['--timeout', '3', '--parallel', String(parallel)]
  const argv = batchArgv(...timeLimit, ...(continues ? ['--continue'] : []))
  const wrong: string[] = []
  const runs: string[] = []
  for (let n = 1; n <= 2 && wrong.length === 0; n++) {
    const before = new Set((await madeAt(group)).map(each => each.client_reference_id))
    const left = references.filter(reference => !before.has(reference))
    const rows = new Set(left.filter(() => random() < 0.2))
    if (rows.size === 0) break
    faults.strike({rows, isFirstOnly})
    wire.requests.length = 0
    const run = await home.run([...argv, '--failed', FAILED])
    await wire.answered()
    const found = await checkFaulty(group, run, rows, before, setting)
    runs.push(`run ${n}: ${[...rows].join(' ')}: ${run.exit}`)
    if (found.length > 0) wrong.push(...found, shown(run))
  }
  faults.strike(undefined)
  if (random() < 0.5) {
    // The file of those that failed is a file to run.
    const failed = argv.map(word => (word === 'trips.ndjson' ? FAILED : word))
    const {exit, stdout} = await home.run(failed)
    const isEmpty = parse(stdout)?.error !== undefined
    if (exit !== 0 && !isEmpty) wrong.push(`--failed, run again, ends with ${exit}: ${stdout.slice(0, 600)}`)
    if (!isEmpty || exit === 0) wrong.push(...checkMade(group, await madeAt(group), true))
  }
  const {last, wrong: found} = await runToEnd(group, home, argv)
  if (found.length > 0) wrong.push(...found, shown(last))
  return wrong.length > 0 ? [...wrong, JSON.stringify(setting), ...runs] : []
}

function cell(store: StoreName, name: string, isFirstOnly: boolean, isSample = false): Cell<Bench> {
  const kind = KINDS[name] as Kind
  const when = isFirstOnly ? 'at first' : 'always'
  const title = `fault: ${store}, ${name}, ${when}${isSample ? ', small' : ''}`
  return {
    name: title,
    group: `faults, ${store}`,
    isSample,
    async run(bench, seed) {
      const random = randomOf(seed, title)
      const settings = isSample || isFirstOnly ? [false] : [false, true]
      const wrong: string[] = []
      for (const continues of settings) {
        // Of trips one by one, it can be seen that none is begun after the end of the batch.
        const parallel = isFirstOnly ? 4 : 1
        const setting = {kind, isFirstOnly, continues, parallel: continues ? 8 : parallel}
        const faults = faultsOf(kind)
        const count = isSample ? 6 : COUNT
        const found = await owning(async own =>
          trial(
            await openGroup(own, bench, store, {
              count,
              faultOf: faults.faultOf,
              onExchange: faults.onExchange,
            }),
            faults,
            setting,
            random,
          ),
        )
        wrong.push(...found)
      }
      return {count: settings.length, wrong}
    },
  }
}

const SEARCH_FAULTS: Readonly<Record<string, WireFault>> = {
  reset: losing(false),
  'cut in the body': {forwards: true, play: reply => [replyHead(reply), half(reply.body), 'end']},
  '500': refusing(false, 500, 'internal_error'),
  '429': refusing(false, 429, 'rate_limited'),
  'HTML 200': answering(false, html(200)),
}

/** One search of each run meets the fault. */
async function searchTrial(group: Group, fault: WireFault, random: () => number): Promise<string[]> {
  const {wire, home} = group
  const argv = batchArgv('--timeout', '3')
  const wrong: string[] = []
  for (let n = 1; n <= 2 && wrong.length === 0; n++) {
    wire.strike = {fault, path: SEARCH, nth: upTo(20, random)}
    const run = await home.run(argv)
    wire.strike = undefined
    const made = await madeAt(group)
    const document = documentOf(run)
    const found = checkMade(group, made)
    if (document === undefined) found.push('prints no result')
    else {
      found.push(...checkShown(group, document, made), ...checkDocumentCounts(document))
      const exit = exitOf(document, Number(run.exit))
      if (run.exit !== exit) found.push(`ends with ${run.exit}, not ${exit}`)
      if (document.batch.unknown !== 0) found.push('a trip is unknown, and only searches failed')
    }
    if (found.length > 0) wrong.push(...found, shown(run))
  }
  const {last, wrong: atEnd} = await runToEnd(group, home, argv)
  const found = [...atEnd, ...checkForms(wire)]
  return found.length > 0 ? [...wrong, ...found, shown(last)] : wrong
}

function searchCell(name: string): Cell<Bench> {
  const title = `fault: files, a search, ${name}`
  return {
    name: title,
    group: 'faults, files',
    async run(bench, seed) {
      const random = randomOf(seed, title)
      const wrong = await owning(async own =>
        searchTrial(
          await openGroup(own, bench, 'files', {count: COUNT}),
          SEARCH_FAULTS[name] as WireFault,
          random,
        ),
      )
      return {count: 2, wrong}
    },
  }
}

/** With a store that machines share, the journal is written in another place; the answers mean the same. */
const IN_POSTGRES = [
  'reset after',
  'hangs after',
  '500 after',
  'another booking, and it is made',
  '422',
  '403',
]

export const FAULTS: readonly Cell<Bench>[] = [
  cell('files', 'reset after', false, true),
  ...Object.keys(SEARCH_FAULTS).map(searchCell),
  ...STORES.flatMap(store =>
    Object.keys(KINDS)
      .filter(name => store === 'files' || IN_POSTGRES.includes(name))
      .flatMap(name => [cell(store, name, true), cell(store, name, false)]),
  ),
]
