/** What `listen` prints for people: a row for each event with the answer of its target, and why a signature fails. */
import {createHash} from 'node:crypto'
import process from 'node:process'
import {systemClock} from '../../../contract/dates.js'
import {sanitizeLine, shellWord} from '../../../contract/foreign-text.js'
import {isObject} from '../../../contract/json.js'
import {SIGNATURE_TOLERANCE_SECONDS, WEBHOOK_RESPONSE_SECONDS} from '../../../contract/limits.js'
import {parseBody} from '../../../webhooks/captures/records.js'
import type {CheckTerms} from '../../../webhooks/diagnose/finding.js'
import {type ForwardReport, SIGNATURE_TOO_OLD} from '../../../webhooks/forward/forwarder.js'
import {signerOf} from '../../../webhooks/forward/request.js'
import type {Receipt} from '../../../webhooks/receive/receiver.js'
import {gatherHeaders, pairsOf} from '../../../webhooks/signature/headers.js'
import type {NamedSecret} from '../../../webhooks/signature/signature.js'
import {marksFor} from '../../terminal/colour.js'
import {type OutputFlags, terminalOf} from '../../terminal/output.js'
import {hang, textWidth} from '../../terminal/text.js'
import type {WebhookSecretFlags} from './secrets.js'
import {isLate, isRedirect, unansweredText} from './targets.js'

/** An event whose target takes longer is shown before the answer, which gets a row of its own. */
const HELD_MILLISECONDS = 1000
/** A search for a cause delays answers, so it is made at most this often. */
const EXPLAINED_EVERY_MILLISECONDS = 1000
/** The longest event type and reservation reference of the interface. */
const TYPE_WIDTH = 21
const REFERENCE_WIDTH = 14
/** So many ids of events that were answered before their receipts came are kept. */
const MOST_EARLY = 1000

const REASONS: Readonly<Record<Receipt['reason'], string>> = {
  ok: '',
  missing_header: 'no signature',
  malformed_header: 'malformed signature',
  signature_mismatch: 'wrong signature',
  timestamp_outside_tolerance: 'signed at a wrong time',
  event_id_mismatch: 'wrong event id',
}

/** What the output of `listen` needs; `otherSecrets` are those stored for other subscriptions, for explanations alone. */
export interface ListenTerms extends Pick<CheckTerms, 'names' | 'otherSecrets' | 'removedSecrets'> {
  readonly flags: OutputFlags & WebhookSecretFlags & {readonly capture?: string | undefined}
  /** Prints on stderr. */
  readonly tell: (text: string) => void
  readonly targets: readonly string[]
  readonly secrets: () => readonly NamedSecret[]
}

interface Row {
  /** Unix seconds. */
  readonly time: number
  readonly isGood: boolean
  readonly body: Uint8Array
  readonly text: string
  readonly notes?: readonly string[]
}

/** The rows of events at a terminal. An event that is forwarded is shown with the answer of its target. */
export class ListenRows {
  /** Events whose targets have not answered yet. */
  private readonly held = new Map<string, {readonly timer: NodeJS.Timeout; readonly row: Row}>()
  /** Ids of events whose targets answered before their receipts came. */
  private readonly early = new Set<string>()
  /** When the last search for a cause ended, as `performance.now()`; infinite while one runs. */
  private explainedAt = Number.NEGATIVE_INFINITY
  private testId: string | undefined

  constructor(
    private readonly print: (line: string) => void,
    private readonly terms: ListenTerms,
    private readonly notes: ForwardNotes,
  ) {}

  /** `isTest`: the event that --subscribe asked for. */
  request(receipt: Receipt, isTest: boolean): void {
    const {receivedAt: time, body, reason, status, duplicate, eventId = ''} = receipt
    if (isTest) this.testId = eventId
    const row = {time, isGood: reason === 'ok', body, text: duplicate ? 'duplicate' : ''}
    if (!row.isGood) void this.refuse(receipt, {...row, text: `${status} ${REASONS[reason]}`})
    else if (this.terms.targets.length > 0 && !duplicate) this.hold(eventId, row)
    else this.show(row)
  }

  forward(report: ForwardReport): void {
    const {eventId, body} = report
    clearTimeout(this.held.get(eventId)?.timer)
    if (!this.held.delete(eventId)) this.early.add(eventId)
    if (this.early.size > MOST_EARLY) this.early.clear()
    const target = this.terms.targets.length > 1 ? `, ${sanitizeLine(report.target, 200)}` : ''
    const time = systemClock.now()
    const text = answerText(report, time) + target
    this.show({time, isGood: report.state === 'done', body, text, notes: this.notes.of(report)})
  }

  /** Shows the events that no target has answered yet. */
  end(): void {
    for (const {timer, row} of this.held.values()) {
      clearTimeout(timer)
      this.show({...row, text: 'not answered by the target yet'})
    }
    this.held.clear()
  }

  private show(row: Row): void {
    for (const line of rowLines(row, this.testId)) this.print(line)
  }

  private hold(id: string, row: Row): void {
    if (this.early.delete(id)) return
    const timer = setTimeout(() => {
      this.held.delete(id)
      this.show({...row, text: 'waiting for the target'})
    }, HELD_MILLISECONDS)
    this.held.set(id, {timer, row})
  }

  private async refuse(receipt: Receipt, row: Row): Promise<void> {
    if (performance.now() - this.explainedAt < EXPLAINED_EVERY_MILLISECONDS)
      return this.show({...row, text: `${row.text}, cause not looked for (at most one a second)`})
    this.explainedAt = Number.POSITIVE_INFINITY
    let notes: string[] = []
    try {
      notes = await explainRefusal(receipt, this.terms)
    } catch {
      // The row matters more than its cause.
    }
    this.explainedAt = performance.now()
    this.show({...row, notes})
  }
}

function rowLines({time, isGood, body, text: words, notes = []}: Row, testId: string | undefined): string[] {
  const {columns, paint} = terminalOf(process.stdout)
  const marks = marksFor(process.env)
  const mark = isGood ? marks.good : marks.bad
  const clock = new Date(time * 1000).toTimeString().slice(0, 8)
  const start = `${clock}  ${mark.padEnd(Math.max(marks.good.length, marks.bad.length))}  `
  const {id, type, reference} = factsOf(body)
  const text = [id && id === testId && 'test event', words].filter(Boolean).join(', ')
  const lead = `${start}${type.padEnd(TYPE_WIDTH)}  ${reference.padEnd(REFERENCE_WIDTH)}  `
  const withId = `${lead}${text}  ${id}`
  const indent = ' '.repeat(start.length)
  const [first = '', ...rest] = textWidth(withId) <= columns ? [withId] : broken(lead, text, columns)
  return [
    `${paint('faint', clock)}  ${paint(isGood ? 'good' : 'bad', mark)}${first.slice(clock.length + 2 + mark.length)}`,
    ...[...rest, ...notes].flatMap(note => hang(`${indent}${note}`, columns, start.length)),
  ]
}

/** The row in lines of `columns`, broken after a comma of `text`. */
function broken(lead: string, text: string, columns: number): string[] {
  const room = columns - textWidth(lead)
  if (textWidth(text) <= room) return [(lead + text).trimEnd()]
  const comma = text.lastIndexOf(', ', room - 1)
  if (comma <= 0) return [lead.trimEnd(), text]
  return [lead + text.slice(0, comma + 1), text.slice(comma + 2)]
}

async function explainRefusal(
  {rawHeaders, body, receivedAt}: Receipt,
  {names, secrets, otherSecrets, removedSecrets}: ListenTerms,
): Promise<string[]> {
  const {check} = await import('../../../webhooks/diagnose/check.js')
  const headers = gatherHeaders(pairsOf(rawHeaders))
  const checked = {names, secrets: secrets(), otherSecrets, removedSecrets, inVain: {count: 0}}
  const time = {now: () => receivedAt, toleranceSeconds: SIGNATURE_TOLERANCE_SECONDS}
  const {findings} = await check({headers, body, receivedAt}, {...checked, ...time})
  const lines = findings.flatMap(({code, explanation, fix}) =>
    code === 'unexplained' ? [explanation] : [explanation, `Fix: ${fix}`],
  )
  return lines.map(line => sanitizeLine(line))
}

/** Id, type and reference as the body says, even if its signature is wrong. */
function factsOf(body: Uint8Array): Readonly<Record<'id' | 'type' | 'reference', string>> {
  const event = parseBody(body)
  const {id, type, data} = isObject(event) ? event : {}
  const text = (value: unknown) => (typeof value === 'string' ? sanitizeLine(value, 60) : '')
  return {
    id: text(id),
    type: text(type) || (text(id) ? '(no type)' : '(no event)'),
    reference: isObject(data) ? text(data.reservation_ref) : '',
  }
}

/** The answer and its time, and what happens next; `now` is Unix seconds. */
export function answerText(report: ForwardReport, now: number): string {
  const {target, status, error, ms, attempt, resigned, state, nextAttemptAt} = report
  const why = unansweredText(error, target) ?? ''
  const words = status === null ? `no answer (${sanitizeLine(why, 300)})` : `${status} in ${ms} ms`
  const facts = [
    error === SIGNATURE_TOO_OLD ? 'not sent, its signature is too old' : words,
    status !== null && isLate(ms) && `later than the ${WEBHOOK_RESPONSE_SECONDS} s a receiver has`,
    isRedirect(status) && 'redirects are not followed',
    resigned && 'signed again',
    attempt > 1 && `attempt ${attempt}`,
    state === 'pending' && `again in ${Math.max(1, Math.round(nextAttemptAt - now))} s`,
    state === 'given_up' && 'given up',
  ]
  return facts.filter(Boolean).join(', ')
}

/** Notes about attempts: the command that replays what was given up, and once for each target the secret it refused. */
export class ForwardNotes {
  private readonly refused = new Set<string>()

  constructor(private readonly terms: ListenTerms) {}

  of(report: ForwardReport): string[] {
    const {names, secrets} = this.terms
    const {eventId, target, state, status} = report
    if (state === 'given_up') {
      const command = `bookctl webhooks events replay ${shellWord(eventId)} --to ${shellWord(target)} --resign`
      return [`Replay it: ${command}${this.secretFlags()}`]
    }
    if (status !== 401) return []
    const signer = signerOf(report, names.signature, secrets())
    const place = `${target} ${signer?.name}`
    if (this.refused.has(place)) return []
    this.refused.add(place)
    if (!signer) return ['The target refused a signature whose secret is not known here any more']
    const what = `The target refused the signature; its secret is ${sourceOf(signer)}. Compare it with that of the target:`
    return [`${what} bookctl webhooks listen --print-secret${this.secretFlags()}`]
  }

  /** The flags with which another command finds the same secrets. */
  private secretFlags(): string {
    const {profile, 'secret-file': file, 'secret-stdin': fromStdin} = this.terms.flags
    return [
      profile !== undefined && ` --profile ${shellWord(profile)}`,
      file !== undefined && ` --secret-file ${shellWord(file)}`,
      fromStdin && ' --secret-stdin',
    ]
      .filter(Boolean)
      .join('')
  }
}

const SOURCES: Readonly<Record<string, string>> = {
  env: 'from BOOKCTL_WEBHOOK_SECRET',
  file: 'from --secret-file',
  stdin: 'from --secret-stdin',
}

/** Where the secret comes from, and the start of its SHA-256, which distinguishes it without showing it. */
function sourceOf({name, secret}: NamedSecret): string {
  const [place = ''] = /^(env|file|stdin)\b/.exec(name) ?? []
  const source = SOURCES[place] ?? `that of ${sanitizeLine(name, 60)}`
  return `${source} (SHA-256 ${createHash('sha256').update(secret).digest('hex').slice(0, 8)}…)`
}
