/**
 * Implements `webhooks probe`: sends test requests to a receiver, and shows which of them failed and how to fix the
 * receiver.
 */
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
  /** Time limit of a request in seconds (default: twice the 3 s of §6.4, so that a late answer is measured). */
  readonly timeoutSeconds: number | undefined
  readonly onSend?: (n: number, most: number) => void
}

/**
 * Probes the receiver at `url`, which `checkTarget` must have accepted. Throws a Failure if the receiver never answers.
 */
export async function probeReceiver(
  url: string,
  flags: WebhookSecretFlags,
  {state, caFile, timeoutSeconds = WEBHOOK_RESPONSE_SECONDS * 2, onSend}: ProbeOptions,
): Promise<ProbeSheet> {
  const [named] = await chooseSigningSecrets(flags, state)
  const handover = createHandover({
    trusted: await trustedFor(url, caFile, state.directory),
    timeoutMilliseconds: timeoutSeconds * 1000,
    // Enough for an error message in the answer.
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

/**
 * Returns the results to print. Without --format, prints what failed and how to fix it; with `all`, also what passed.
 */
export function probeResult(url: string, sheet: ProbeSheet, all: boolean): Result<ProbeRow> {
  const {rows, notSent} = sheet
  const passed = rows.filter(({ok}) => ok).length
  const failed = rows.filter(isFailed).length
  const counts = {passed, failed, advised: rows.length - passed - failed, not_sent: notSent}
  const people = (paint: Painter, columns: number) => sheetLines(sheet, all, paint, columns)
  const result = listResult({url, ...counts, cases: rows}, rows, PROBE_COLUMNS)
  const text = `${people(unpainted, Number.POSITIVE_INFINITY).join('\n')}\n`
  return {...result, shown: PROBE_COLUMNS.slice(0, 6), people, text}
}

const CHECKS_NOTHING =
  'it checks no signature at all, or ignores the result: it accepted every request that it must refuse'

/** Formats the results as lines for a person. */
function sheetLines({rows, notSent}: ProbeSheet, all: boolean, paint: Painter, columns: number): string[] {
  const hung = (style: Style, start: string, text: string, lead: number): string[] => {
    const [first = '', ...rest] = hang(`${start} ${text}`, columns, 4, lead)
    return [first.replace(start.trim(), word => paint(style, word)), ...rest]
  }
  const marks = marksFor(process.env)
  const marked = (style: 'good' | 'waiting' | 'bad', text: string) =>
    hung(style, marks[style], text, marks[style].length + 1)
  const labelled = (label: string, text: string) => hung('hint', `  ${label}:`, text, 2)
  const wordsOf = (answers: readonly ProbeRow[]) => {
    const texts = answers.map(row => (Number(row.answered) >= 400 ? row.said : null))
    return [...new Set(texts)].filter(text => text !== null).flatMap(text => labelled('It said', text))
  }
  const isSlow = rows.every(({advice}) => advice === LATE)
  const [first] = rows
  // The first answers were late, or nothing was sent after the first request.
  if (first && (isSlow || rows.length === 1)) {
    const what = isSlow
      ? `took longer than ${WEBHOOK_RESPONSE_SECONDS} s for a valid request (${first.answered} after ${first.ms} ms)`
      : `answered ${first.answered} to a valid request`
    return [
      ...marked('bad', `The receiver ${what}; ${notSent} checks were not sent`),
      ...wordsOf(rows),
      ...labelled(isSlow ? 'Fix' : 'Likely cause', String(first.advice)),
    ]
  }
  const rowText = ({case: name, sent, ok, expected, answered, ms}: ProbeRow) => {
    const answer = ok ? `${answered}` : `expected ${expected}, answered ${sanitizeLine(String(answered), 80)}`
    return `${name}: ${sent} (${answer} in ${ms} ms)`
  }
  const byAdvice = (answers: readonly ProbeRow[], style: 'bad' | 'waiting') =>
    [...new Set(answers.map(({advice}) => advice))].flatMap(advice => {
      const alike = answers.filter(row => row.advice === advice)
      const listed = alike.flatMap(row => marked(style, rowText(row)))
      return ['', ...listed, ...wordsOf(alike), ...labelled('Fix', String(advice))]
    })
  const passed = rows.filter(({ok}) => ok)
  const failed = rows.filter(isFailed)
  const advised = rows.filter(row => !row.ok && !row.required)
  const summary = [
    `${passed.length} of ${rows.length + notSent} passed`,
    failed.length > 0 && `${failed.length} failed`,
    advised.length > 0 && `${advised.length} with advice`,
    notSent > 0 && `${notSent} not sent`,
  ]
  const lines = [paint(failed.length > 0 ? 'bad' : 'good', summary.filter(Boolean).join(', '))]
  const wrong = rows.filter(({expected}) => expected === '401')
  if (wrong.length > 1 && wrong.every(({answered}) => isSuccess({status: Number(answered)})))
    lines.push(...labelled('Likely cause', CHECKS_NOTHING))
  lines.push(...byAdvice(failed, 'bad'))
  // Leaves out advice that was printed for a failed case.
  const others = advised.filter(({advice}) => failed.every(row => row.advice !== advice))
  lines.push(...byAdvice(others, 'waiting'))
  if (all && passed.length > 0) lines.push('', ...passed.flatMap(row => marked('good', rowText(row))))
  return lines
}
