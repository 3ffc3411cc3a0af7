/** What a capture lacks to be a whole request, and what to ask its sender for. */
import type {Gap} from './request.js'

const ASK_FOR_BODY =
  'Ask for the body exactly as it was received, as a file of bytes, and add it with --body FILE.'

export const BODY_MISSING: Gap = {
  code: 'body_missing',
  explanation: 'The headers of the request are here, but its body is not.',
  fix: ASK_FOR_BODY,
}

export const CURL_PRINTS_NO_BODY: Gap = {
  code: 'body_missing',
  explanation: 'This is the output of curl -v, which prints the headers of a request but not its body.',
  fix: `${ASK_FOR_BODY} curl --trace FILE writes both.`,
}

export const ANSWER: Gap = {
  code: 'request_missing',
  explanation: 'This is the answer of a server, not the request that it answers.',
  fix: 'Ask for the request: its headers, with the signature, and its body exactly as it was received.',
}

export const NO_REQUEST: Gap = {
  code: 'no_request',
  explanation: 'There is no webhook request in it: no signature, and nothing that looks like a request.',
  fix: 'Ask for the request: its headers, with the signature, and its body exactly as it was received. For a body alone pass --signature.',
}

export const SIGNATURE_MASKED: Gap = {
  code: 'signature_masked',
  explanation: 'A part of the signature was replaced by a mask, so it cannot be compared.',
  fix: 'Ask for the header with the signature as it was received, unmasked. It is no secret, and good for this one request only.',
}

export const TYPOGRAPHIC_COMMAND: Gap = {
  code: 'body_unclear',
  explanation:
    'A mail program or an editor replaced the quotes of the command by typographic ones, perhaps also in the body.',
  fix: ASK_FOR_BODY,
}

export const HEADERS_CUT: Gap = {
  code: 'body_missing',
  explanation: 'The request is cut off within its headers, or its body is missing.',
  fix: ASK_FOR_BODY,
}

export const FOREIGN_FORM: Gap = {
  code: 'form_unknown',
  explanation: 'There is a signature in the text, but the text has no form of a request that is read here.',
  fix: 'Ask for the whole request as text: the headers, an empty line, and the body exactly as it was received.',
}

/** Returns the gap of a log or a text that is longer than `size`, such as "16 MiB". */
export function tooLong(size: string): Gap {
  return {
    code: 'form_unknown',
    explanation: `The text holds a signature, but it is longer than ${size}, and only captures and requests of that length are read.`,
    fix: 'Ask for the part with the request alone, or cut its lines out.',
  }
}

/** Returns the gap of a command whose body comes from `source`, such as "the file body.json". */
export function bodyIsElsewhere(source: string): Gap {
  return {
    code: 'body_missing',
    explanation: `The body is not in the command: it is read from ${source}.`,
    fix: ASK_FOR_BODY,
  }
}

/** Returns the doubt about a body of which `what` is known. */
export function unclear(what: string): Gap {
  return {code: 'body_unclear', explanation: what, fix: ASK_FOR_BODY}
}
