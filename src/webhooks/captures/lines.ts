/** What the parts of a request look like in a text: its first line, its headers and its signature. */
import type {WebhookHeaderNames} from '../signature/headers.js'

export const REQUEST_LINE = /^[A-Z]{3,16} \S+ HTTP\/\d(?:\.\d)?\s*$/
/** Matches the first line of an answer, anywhere in a text. */
export const STATUS_LINE = /^\s*HTTP\/\d(?:\.\d)? \d{3}\b/m
/** Matches a header as HTTP writes it. */
export const HEADER_LINE = /^([!#$%&'*+.^_`|~\w-]+):(.*)$/s
/** Matches a header as people and logs write it: in a list, with quotes, or with another mark behind its name. */
const WRITTEN_HEADER_LINE =
  /^[ \t]*(?:[-*\u2022] )?"?([!#$%&'*+.^_`|~\w-]+)"?(?:[ \t]*(?::|=>)[ \t]*|[ \t]+=[ \t]+|\t)(.*)$/s
/** Matches a line, or the start of one, that says that the body follows. */
export const BODY_LABEL =
  /^[ \t]*(?:[-*#] ?)*(?:the[ \t]+)?(?:raw[ \t_-]*)?(?:http[ \t]+|request[ \t_-]*)?(?:body|payload|content|data|json)(?:[ \t]*\([^)\n]*\))?[ \t]*(?::|=>|(?<=[ \t])=|$)[ \t]*/i

/** Matches a line with a body in quotes, or behind a word that is not known. Headers that hold JSON have a dash in their names. */
export const HIDDEN_BODY = /^[ \t]*["']?[^\s:='"-]{1,30}["']?[ \t]*(?::|=>?)[ \t]*(?:b?['"`][ \t]*)?[{[]/

/** Matches the digest of a signature. Its end may be masked. */
const DIGEST = /\bv1=[\da-f]{4}/i

/** Reports whether a header is the signature, by its name or, since a proxy may rename it, by its value. */
export function isSignature([name, value]: readonly [string, string], names: WebhookHeaderNames): boolean {
  return name.toLowerCase() === names.signature.toLowerCase() || DIGEST.test(value)
}

/** Reports whether a signature is anywhere in `text`. */
export function holdsSignature(text: string, names: WebhookHeaderNames): boolean {
  return text.toLowerCase().includes(names.signature.toLowerCase()) || DIGEST.test(text)
}

/** Returns the header in a line as people write it, or undefined if it is none. */
export function headerIn(line: string): [string, string] | undefined {
  const [, name, value = ''] = WRITTEN_HEADER_LINE.exec(line) ?? []
  return name === undefined ? undefined : [name, value.trim()]
}
