/** The names under which logs and gateways write the parts of a request, each in the form of `plainName`. */
import type {JsonObject} from '../../contract/json.js'

export const HEADER_NAMES = new Set([
  'headers',
  'header',
  'multivalueheaders',
  'rawheaders',
  'requestheaders',
  'httpheaders',
  'reqheaders',
])
/** The first of them that an object has is its body. */
export const BODY_NAMES = [
  'raw',
  'rawbody',
  'bodyraw',
  'requestbody',
  'httprequestbody',
  'httprequestbodycontent',
  'httpbody',
  'reqbody',
  'body',
  'bodybase64',
  'bodyb64',
  'rawbodybase64',
  'rawpayload',
  'payload',
  'payloadbase64',
  'postdata',
  'content',
  'rawdata',
  'text',
  'data',
]
export const TIME_NAMES = new Set([
  'receivedat',
  'timestamp',
  'time',
  'timeepoch',
  'requesttimeepoch',
  'datetime',
  'date',
  'starttime',
])
export const ANSWER_NAMES = /^(?:response|res|answer|reply|result|upstreamresponse)/

/** Returns the name of a member in lower case, without separators. */
export const plainName = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '')

/** Returns the members of `value` by their plain names. */
export function membersOf(value: JsonObject): Map<string, unknown> {
  return new Map(Object.entries(value).map(([name, one]) => [plainName(name), one]))
}
