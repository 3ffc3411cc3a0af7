/** The page with the result of `sandbox certify` for one client. Failed rules come first. */
import {html} from 'hono/html'
import {countsText, nameOf, partsOf, type SheetRule, unseenText} from '../../contract/certificate.js'
import {DELIVERY_ID_PREFIX} from '../../contract/identifiers.js'
import {counted} from '../base/wording.js'
import {judge} from '../certify/judge.js'
import {clientNamed} from '../controls/controls.js'
import {evidenceOf} from '../http/recording.js'
import {MAIN_CLIENT} from '../store/clients.js'
import type {Piece, View, Visit} from './components.js'
import * as ui from './components.js'

/** How many pieces of evidence a rule shows. The JSON document has all of them. */
const MOST_SHOWN = 20

export function certificate(visit: Visit): View {
  const {client_id} = clientNamed(visit.service.database, ui.filterOf(visit, 'client') ?? MAIN_CLIENT)
  const evidence = evidenceOf(visit.service, client_id, 0)
  const sheet = judge(evidence, client_id)
  const {broken, advised, passed, unseen} = partsOf(sheet)
  const summary = ui.facts({
    Client: ui.code(client_id),
    Verdict: html`<strong>${countsText(sheet)}</strong>`,
    Judged: `${counted(sheet.requests, 'request')}, ${counted(evidence.attempts.length, 'delivery', 'deliveries')}`,
    'In a terminal': ui.copied(`bookctl sandbox certify --client ${client_id}`, 'the command'),
    'Other clients': ui.otherClients(visit, 'certificate', client_id),
  })
  const failedRow = (rule: SheetRule) => ({
    Rule: ui.shown(nameOf(rule)),
    Found: ui.shown(rule.text),
    Fix: ui.shown(rule.advice),
    Evidence: evidenceLinks(rule),
  })
  const row = (rule: SheetRule) => ({Rule: ui.shown(nameOf(rule)), Found: ui.shown(unseenText(rule))})
  const part = (id: string, caption: string, rows: ui.ListContent['rows']) =>
    rows.length > 0 && ui.card(id, caption, ui.list(visit, {caption, rows}))
  const main = html`${ui.card('summary', 'Summary', summary)}
${part('failed', 'Failed', broken.map(failedRow))}
${part('advice', 'Advice that was not followed', advised.map(failedRow))}
${part('passed', 'Passed', passed.map(row))}
${part('unseen', 'Not shown', unseen.map(row))}`
  return {title: 'Certificate', main}
}

/** Returns links to the requests or deliveries that prove a failure. */
function evidenceLinks({evidence}: SheetRule): Piece {
  const links = evidence.slice(0, MOST_SHOWN).map(id => {
    const list = id.startsWith(DELIVERY_ID_PREFIX) ? 'deliveries' : 'requests'
    return html`<div>${ui.link(list, id)}</div>`
  })
  const more = evidence.length - links.length
  return html`${links}${more > 0 && ui.soft(`and ${more} more`)}`
}
