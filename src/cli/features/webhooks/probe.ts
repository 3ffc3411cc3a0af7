/** `webhooks probe`: sends the cases to a receiver, and shows what failed and how to fix it. */
import {systemClock} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {WEBHOOK_RESPONSE_SECONDS} from '../../../contract/limits.js'
import {isSuccess} from '../../../contract/operations.js'
import type {State} from '../../../state/state.js'
import {createHandover} from '../../../webhooks/forward/request.js'
import {LATE, type ProbeRow, type ProbeSheet, probe} from '../../../webhooks/probe/probe.js'
import {marksFor, type Painter, type Style, unpainted} from '../../terminal/colour.js'
import {listResult, type Result} from '../../terminal/result.js'
import {hang} from '../../terminal/text.js'
import {chooseSigningSecrets, type WebhookSecretFlags, webhookHeaderNames} from './secrets.js'
import {trustedFor, unansweredText} from './targets.js'

export const PROBE_COLUMNS = [
  'case',
  'sent',
  'expected',
  'answered',
  'ms',
  'ok',
  'required',
  'advice',
  'said',
] as const satisfies readonly (keyof ProbeRow)[]

export interface ProbeOptions {
  readonly state: State
  readonly caFile: string | undefined
  /** For one request (default twice the 3 s of §6.4, so that a late answer is measured). */
  readonly timeoutSeconds: number | undefined
  readonly onSend?: (n: number, most: number) => void
}

/** Probes the receiver at `url`, which `checkTarget` accepted. Throws a Failure if it never answers. */
export async function probeReceiver(
  url: string,
  flags: WebhookSecretFlags,
  {state, caFile, timeoutSeconds = WEBHOOK_RESPONSE_SECONDS * 2, onSend}: ProbeOptions,
): Promise<ProbeSheet> {
  const [named] = await chooseSigningSecrets(flags, state)
  const handover = createHandover({
    trusted: await trustedFor(url, caFile, state.directory),
    timeoutMilliseconds: timeoutSeconds * 1000,
    // Enough for the message of an error page.
    keptBytes: 8192,
  })
  const terms = {names: webhookHeaderNames(flags, state), secret: named?.secret ?? '', clock: systemClock.now}
  try {
    const {rows, notSent} = await probe({handover, url, ...terms, onSend})
    const inWords = ({answered}: ProbeRow) =>
      typeof answered === 'string' ? (unansweredText(answered, url) ?? '') : answered
    const shown = rows.map(row => ({...row, answered: inWords(row)}))
    const [first] = shown
    if (shown.some(({answered}) => typeof answered === 'number')) return {rows: shown, notSent}
    const isSlow = first?.advice === LATE
    const within = isSlow ? ` within ${timeoutSeconds} s; ${notSent} checks were not sent` : ''
    throw new Failure('unreachable', `the receiver did not answer${within}`, {
      code: 'receiver_unreachable',
      reason: String(first?.answered),
      hint: isSlow
        ? `check that it runs, and let it ${LATE}`
        : 'check that it runs, and that its certificate is trusted (--ca-file)',
    })
  } finally {
    handover.close()
  }
}

export function isFailed({ok, required}: ProbeRow): boolean {
  return required && !ok
}

/** The result; without --format it is lines: what failed and how to fix it, with `all` also what passed. */
export function probeResult(url: string, sheet: ProbeSheet, all: boolean): Result<ProbeRow> {
  const {rows, notSent} = sheet
  const passed = rows.filter(({ok}) => ok).length
  const failed = rows.filter(isFailed).length
  const counts = {passed, failed, advised: rows.length - passed - failed, not_sent: notSent}
  const people = (paint: Painter, columns: number) => new SheetText(sheet, paint, columns).lines(all)
  const result = listResult({url, ...counts, cases: rows}, rows, PROBE_COLUMNS)
  const text = `${people(unpainted, Number.POSITIVE_INFINITY).join('\n')}\n`
  return {...result, shown: PROBE_COLUMNS.slice(0, 6), people, text}
}

const CHECKS_NOTHING =
  'it checks no signature at all, or ignores the result: it accepted every request that it must refuse'

class SheetText {
  private readonly marks = marksFor(process.env)

  constructor(
    private readonly sheet: ProbeSheet,
    private readonly paint: Painter,
    private readonly columns: number,
  ) {}

  lines(all: boolean): string[] {
    const {rows, notSent} = this.sheet
    const isSlow = rows.every(({advice}) => advice === LATE)
    const [first] = rows
    if (first && (isSlow || rows.length === 1)) return this.stopped(first, isSlow)
    const passed = rows.filter(({ok}) => ok)
    const failed = rows.filter(isFailed)
    const advised = rows.filter(row => !row.ok && !row.required)
    const summary = [
      `${passed.length} of ${rows.length + notSent} passed`,
      failed.length > 0 && `${failed.length} failed`,
      advised.length > 0 && `${advised.length} with advice`,
      notSent > 0 && `${notSent} not sent`,
    ]
    const lines = [this.paint(failed.length > 0 ? 'bad' : 'good', summary.filter(Boolean).join(', '))]
    if (checksNothing(rows)) lines.push(...this.labelled('Likely cause', [CHECKS_NOTHING]))
    lines.push(...this.byAdvice(failed, 'bad'))
    // Equal advice is printed once.
    const others = advised.filter(({advice}) => failed.every(row => row.advice !== advice))
    lines.push(...this.byAdvice(others, 'waiting'))
    if (all && passed.length > 0) lines.push('', ...passed.flatMap(row => this.marked('good', rowText(row))))
    return lines
  }

  /** Where nothing was sent after the first request, or all answers were late. */
  private stopped(first: ProbeRow, isSlow: boolean): string[] {
    const {rows, notSent} = this.sheet
    const what = isSlow
      ? `took longer than ${WEBHOOK_RESPONSE_SECONDS} s for a valid request (${first.answered} after ${first.ms} ms)`
      : `answered ${first.answered} to a valid request`
    return [
      ...this.marked('bad', `The receiver ${what}; ${notSent} checks were not sent`),
      ...this.labelled('It said', wordsOf(rows)),
      ...this.labelled(isSlow ? 'Fix' : 'Likely cause', [String(first.advice)]),
    ]
  }

  private byAdvice(rows: readonly ProbeRow[], style: 'bad' | 'waiting'): string[] {
    return [...new Set(rows.map(({advice}) => advice))].flatMap(advice => {
      const alike = rows.filter(row => row.advice === advice)
      return [
        '',
        ...alike.flatMap(row => this.marked(style, rowText(row))),
        ...this.labelled('It said', wordsOf(alike)),
        ...this.labelled('Fix', [String(advice)]),
      ]
    })
  }

  private marked(style: 'good' | 'waiting' | 'bad', text: string): string[] {
    const mark = this.marks[style]
    return this.hung(style, mark, text, mark.length + 1)
  }

  private labelled(label: string, texts: readonly string[]): string[] {
    return texts.flatMap(text => this.hung('hint', `  ${label}:`, text, 2))
  }

  private hung(style: Style, start: string, text: string, lead: number): string[] {
    const [first = '', ...rest] = hang(`${start} ${text}`, this.columns, 4, lead)
    return [first.replace(start.trim(), word => this.paint(style, word)), ...rest]
  }
}

function checksNothing(rows: readonly ProbeRow[]): boolean {
  const wrong = rows.filter(({expected}) => expected === '401')
  return wrong.length > 1 && wrong.every(({answered}) => isSuccess({status: Number(answered)}))
}

function rowText({case: name, sent, ok, expected, answered, ms}: ProbeRow): string {
  const answer = ok ? `${answered}` : `expected ${expected}, answered ${sanitizeLine(String(answered), 80)}`
  return `${name}: ${sent} (${answer} in ${ms} ms)`
}

function wordsOf(rows: readonly ProbeRow[]): string[] {
  const texts = rows.map(row => (Number(row.answered) >= 400 ? row.said : null))
  return [...new Set(texts)].filter(text => text !== null)
}
