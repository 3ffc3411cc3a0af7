/** `K=V,K=V` as `--guest` and `--contact` take it. A comma inside a value is written `\,`, a backslash `\\`. */
import {usage} from '../../contract/failure.js'

/** The pairs of `text`. Throws usage naming `flag` for a part without `=` and for a name given twice. */
export function readKeyValues(flag: string, text: string): Map<string, string> {
  const pairs = new Map<string, string>()
  for (const part of splitAtCommas(text)) {
    const at = part.indexOf('=')
    if (at < 1)
      throw usage(
        'invalid_input',
        `${flag}: must be NAME=VALUE,NAME=VALUE`,
        'write a comma inside a value as \\,',
      )
    const key = part.slice(0, at).trim()
    if (pairs.has(key)) throw usage('invalid_input', `${flag}: ${key.slice(0, 40)} is given twice`)
    pairs.set(key, part.slice(at + 1).trim())
  }
  return pairs
}

function splitAtCommas(text: string): string[] {
  const parts = ['']
  for (const [piece] of text.matchAll(/\\[\\,]|./gsu)) {
    if (piece === ',') parts.push('')
    else parts[parts.length - 1] += piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece
  }
  return parts.filter((part, index) => part !== '' || index === 0)
}
