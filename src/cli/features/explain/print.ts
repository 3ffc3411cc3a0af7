/** Prints an explanation: the timeline, the findings with their next steps, and what could not be asked. */
import {isoTime} from '../../../contract/dates.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {type Painter, unpainted} from '../../terminal/colour.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import {columnsOf, type Result} from '../../terminal/result.js'
import {hang} from '../../terminal/text.js'
import {stateOfFacts} from './course.js'
import {type Facts, lookedIn, type Moment} from './facts.js'
import type {DescribedFinding} from './finding-words.js'
import {utcText} from './words.js'

export const EXPLAIN_COLUMNS = ['at', 'source', 'what', 'reservation_ref', 'event_id', 'request_id'] as const

type Row = Readonly<Record<(typeof EXPLAIN_COLUMNS)[number], string | null>>

export function explanationResult(
  facts: Facts,
  findings: readonly DescribedFinding[],
  unjudged: readonly string[],
): Result<Row> {
  const {subject, moments, asked, reservations} = facts
  const timeline = moments.map(({at, ...moment}) => ({at: isoTime(at), ...moment}))
  const reservationRefs = reservations.flatMap(({reference}) => reference ?? [])
  const document = {
    subject: {...subject, reservation_refs: [...new Set(reservationRefs)]},
    timeline,
    findings,
    not_judged: unjudged,
    looked_in: lookedIn(asked),
  }
  const items = timeline.map(({at, source, what, ...ids}): Row => {
    const {reservation_ref = null, event_id = null, request_id = null} = ids
    return {at, source, what, reservation_ref, event_id, request_id}
  })
  const lines = [...timeline, ...findings]
  const report = (paint: Painter, columns: number) => reportOf(facts, findings, unjudged, paint, columns)
  const text = `${report(unpainted, Number.POSITIVE_INFINITY).join('\n')}\n`
  return {document, items, lines, columns: columnsOf<Row>(EXPLAIN_COLUMNS), people: report, text}
}

const SUBJECTS = {
  reservation: 'Reservation',
  client_reference: 'Client reference',
  event: 'Event',
  offer: 'Offer',
  request: 'Request',
} as const

function reportOf(
  {subject, moments, asked, reservations}: Facts,
  findings: readonly DescribedFinding[],
  unjudged: readonly string[],
  paint: Painter,
  columns: number,
): string[] {
  const states = reservations.flatMap(facts => {
    const {reference} = facts
    if (reference === null) return []
    const state = stateOfFacts(facts)?.replaceAll('_', ' ') ?? 'state not known'
    return reference === subject.id ? state : `reservation ${reference}, ${state}`
  })
  const head = `${SUBJECTS[subject.kind]} ${subject.id}${states.length === 0 ? '' : `: ${states.join('; ')}`}`
  const notAsked = asked.flatMap(({where, problem, hasFailed}) =>
    problem === null ? [] : [`${hasFailed ? 'Not answered' : 'Not asked'}: ${where}: ${problem}`],
  )
  const notJudged = unjudged.map(text => `Not judged: ${text}`)
  return [
    ...hang(sanitizeLine(head), columns, 2).map(line => paint('header', line)),
    '',
    ...moments.flatMap(moment => momentLines(moment, paint, columns)),
    ...(moments.length === 0 ? ['Nothing happened that is known.'] : []),
    '',
    ...summaryLines(findings),
    ...findings.flatMap(finding => findingLines(finding, paint, columns)),
    ...(notAsked.length + notJudged.length === 0 ? [] : ['']),
    ...notJudged.flatMap(text => hang(sanitizeLine(text, 500), columns, 2)),
    ...notAsked.flatMap(text => hang(sanitizeLine(text, 500), columns, 2)),
  ]
}

/** The width of a time with its zone, and of the longest source, each including two spaces. */
const TIME_WIDTH = 25
const SOURCE_WIDTH = 10

function momentLines({at, source, what}: Moment, paint: Painter, columns: number): string[] {
  const lead = `${utcText(at).padEnd(TIME_WIDTH)}${source.padEnd(SOURCE_WIDTH)}`
  const [first = '', ...rest] = hang(lead + sanitizeLine(what), columns, lead.length)
  return [paint('faint', first.slice(0, lead.length)) + first.slice(lead.length), ...rest]
}

function summaryLines(findings: readonly DescribedFinding[]): string[] {
  if (findings.length === 0) return ['Nothing stands out.']
  const problems = findings.filter(({severity}) => severity === 'problem').length
  const notices = findings.length - problems
  const counts = [problems > 0 && counted(problems, 'problem'), notices > 0 && counted(notices, 'notice')]
  return [`${counts.filter(Boolean).join(', ')}:`]
}

function findingLines(
  {code, severity, text, advice}: DescribedFinding,
  paint: Painter,
  columns: number,
): string[] {
  const style = severity === 'problem' ? 'bad' : 'waiting'
  const lead = `${severity === 'problem' ? 'PROBLEM' : 'Notice'} ${code}: `
  const [first = '', ...rest] = hang(lead + sanitizeLine(text), columns, 2)
  const next = hang(`  Next: ${sanitizeLine(advice)}`, columns, 8)
  return [paint(style, first.slice(0, lead.length)) + first.slice(lead.length), ...rest, ...next]
}
