/** Undoes what programs do to a text that they show. Texts have one character per byte (latin1), except in `unescapeHtml`. */

const ENTITIES: Readonly<Record<string, string>> = {quot: '"', amp: '&', lt: '<', gt: '>', apos: "'"}

/** Returns `text` with its HTML entities decoded. */
export function unescapeHtml(text: string): string {
  const entity = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(quot|amp|lt|gt|apos));/gi
  return text.replace(entity, (all: string, hex?: string, decimal?: string, name?: string) => {
    if (name) return ENTITIES[name.toLowerCase()] ?? all
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : all
  })
}

/** Returns the text that a page of HTML shows between `<pre>` and `</pre>`, or undefined if `text` is no such page. */
export function plainHtml(text: string): string | undefined {
  if (!/^\s*</.test(text)) return undefined
  const [, shown] = /<pre\b[^>]*>\r?\n?([\s\S]*?)<\/pre>/i.exec(text) ?? []
  if (shown === undefined) return undefined
  const plain = shown.replace(/<br[^>]{0,20}>/gi, '\n').replace(/<\/?(?:code|span|b|i|a)\b[^>]*>/gi, '')
  return Buffer.from(unescapeHtml(Buffer.from(plain, 'latin1').toString())).toString('latin1')
}

/** Matches a line of a head as Wireshark prints it, with its line end in letters: `Host: x\\r\\n`. */
const ESCAPED_END = /^([ \t]*(?:[A-Z]{3,16} \S+ HTTP\/[\d.]+|[\w-]+: .*)?)\\r\\n[ \t]*(\r?)$/gm

/** Returns `text` without the letters `\\r\\n` behind the lines of a head, if it has several of them. */
export function withoutEscapedLineEnds(text: string): string {
  return (text.match(ESCAPED_END) ?? []).length > 1 ? text.replace(ESCAPED_END, '$1$2') : text
}
