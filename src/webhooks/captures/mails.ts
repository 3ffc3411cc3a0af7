/** Decodes a mail as it is stored in a file (.eml), because its text is often quoted-printable or base64. */

const FIRST_HEADER =
  /^(?:Return-Path|Received|Delivered-To|From|To|Subject|Date|Message-ID|MIME-Version|Content-Type|X-[\w-]+):/i
const MOST_PARTS = 50

/**
 * Returns the plain text of a mail, or undefined if `text` is no mail with an encoding. Both have one character per byte (latin1).
 */
export function textOfMail(text: string, depth = 0): string | undefined {
  const [whole, head = ''] = /^([\s\S]*?)\r?\n\r?\n/.exec(text) ?? []
  if (whole === undefined || !FIRST_HEADER.test(head) || depth > 3) return undefined
  const body = text.slice(whole.length)
  const unfolded = head.replace(/\r?\n[ \t]+/g, ' ')
  const boundary = /^Content-Type:\s*multipart\/.*?\bboundary="?([^"\r\n;]+)"?/im.exec(unfolded)?.[1]
  if (boundary !== undefined) {
    const parts = body.split(`--${boundary}`).slice(1, MOST_PARTS)
    const texts = parts.map(part => part.replace(/^\r?\n/, ''))
    const plain = texts.find(part => /^Content-Type:\s*(?:text\/plain|multipart\/)/im.test(part)) ?? texts[0]
    return plain === undefined ? undefined : textOfMail(plain, depth + 1)
  }
  const encoding = /^Content-Transfer-Encoding:\s*([\w-]+)/im.exec(unfolded)?.[1]?.toLowerCase()
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('latin1')
  if (encoding === 'quoted-printable') return quotedPrintable(body)
  // A part of a mail is text, but other texts that begin with such a header may be requests.
  return depth > 0 || encoding !== undefined ? body : undefined
}

function quotedPrintable(text: string): string {
  return text
    .replace(/=[ \t]*\r?\n/g, '')
    .replace(/=([\dA-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
