/** What it means when a receiver refuses a right request, in its framework's own words. */

import {isSuccess} from '../../contract/error-codes.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isObject} from '../../contract/json.js'
import {sizeText} from '../../contract/limits.js'
import {parseText} from '../captures/request.js'
import {unescapeHtml} from '../diagnose/body-causes.js'
import {rawBodyFix} from '../diagnose/fixes.js'
import type {HandoverResult} from '../forward/request.js'
import {MOST_EVENT_BYTES} from '../signature/event.js'

/** What to do about `status` as the answer to a right request; undefined where the other cases say more. */
export function refusalAdvice(
  status: number,
  {headers = {}}: HandoverResult,
  words: string,
): string | undefined {
  if (isSuccess({status})) return undefined
  if (status >= 300 && status < 400)
    return 'it redirects, and a webhook follows no redirect: probe and subscribe the final address'
  if (status === 500)
    return `a JSON parser took the body before the check, which needs its raw bytes. ${rawBodyFix(headers, words)}`
  if (status > 501 && status < 505)
    return 'a proxy in front of it has no answer from it: check that the receiver itself runs'
  return REFUSALS[status] ?? (status > 501 ? 'see the log of the receiver' : undefined)
}

const NO_PATH = 'nothing is at this path: compare it with the route of the receiver'
const NO_POST = 'this path takes no POST: compare it with the route of the receiver'
const PROTECTED =
  'a login, a firewall or a CSRF check refuses it: exempt this path, because the signature protects it'
const REFUSALS: Readonly<Record<number, string>> = {
  403: PROTECTED,
  419: PROTECTED,
  404: NO_PATH,
  410: NO_PATH,
  405: NO_POST,
  501: NO_POST,
  413: `it takes no body of this size: events are below ${sizeText(MOST_EVENT_BYTES)}`,
  415: 'it takes no application/json: accept this content type on this path',
  422: 'it checks the fields of the body, or a CSRF token, before the signature: exempt this path',
  429: 'it limits the rate of requests: exempt this path',
}

const MOST_WORDS = 200
/** Members in which frameworks put the message of an error. */
const MESSAGES = ['message', 'detail', 'error', 'title', 'reason'] as const

/** The first line of an answer that says something, safe to print and without `secret`; null when there is none. */
export async function ownWords({start}: HandoverResult, secret: string): Promise<string | null> {
  const text = (await start)?.toString('utf8').trim() ?? ''
  const plain = messageIn(parseText(text)) ?? (text.startsWith('<') ? visibleText(text) : text)
  const line = plain
    .replaceAll(secret, '…')
    .split(/[\r\n]+/)
    .find(one => one.trim() !== '')
  return line === undefined ? null : sanitizeLine(line.trim(), MOST_WORDS)
}

function messageIn(json: unknown): string | undefined {
  if (typeof json === 'string') return json
  if (!isObject(json)) return undefined
  const found = MESSAGES.map(name => json[name]).find(value => typeof value === 'string' || isObject(value))
  return messageIn(found)
}

/** Of a page: its title, or, where that says nothing, what is set in fixed width, its heading or its text. */
function visibleText(page: string): string {
  const inside = (name: string) =>
    new RegExp(`<${name}\\b[^>]*>(.*?)(?:</${name}>|$)`, 'is').exec(page)?.[1] ?? ''
  const texts = [inside('title'), inside('pre'), inside('h1'), inside('body'), page].map(markup =>
    unescapeHtml(markup.replace(/<br\s*\/?>/gi, '\n').replace(/<(style|script)\b.*?<\/\1>|<[^>]*>/gis, ' ')),
  )
  return texts.find(one => !/^\s*(?:error)?\s*$/i.test(one)) ?? ''
}
