/** The page that answers what was refused: in the words of the refusal, with the way back. */
import type {Refusal} from '../base/refusal.js'
import {html, linkToOne, shown} from './parts.js'
import type {View} from './visit.js'

const TITLES: Readonly<Record<number, string>> = {
  400: 'That was not understood',
  403: 'Refused',
  404: 'There is nothing here',
  405: 'This page takes no such request',
  409: 'That cannot be done now',
  413: 'That was too much',
}

/** `path` is what was asked for: an action on one reservation or delivery leads back to it. */
export function failureView(refusal: Refusal, path: string): View {
  const [, list, id] = /^\/ui\/(reservations|deliveries)\/([^/]+)\/./.exec(path) ?? []
  const details = refusal.extras.details ?? []
  return {
    title: TITLES[refusal.status] ?? 'That did not work',
    main: html`<div class="note bad" role="alert">${shown(refusal.message)}${
      details.length > 0
        ? html`<ul>${details.map(({field, message}) => html`<li>${shown(`${field} ${message}`)}</li>`)}</ul>`
        : ''
    }</div>
<p>${list && id ? html`Back to ${linkToOne(list, decoded(id))}, or` : 'Go'} to the <a href="/">overview</a>.</p>`,
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
