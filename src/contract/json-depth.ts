/** How deep foreign JSON is nested, found before it is parsed. */

/** Ours: nothing that means something is nested deeper, and what walks through it later, or prints it, goes no deeper unharmed. */
export const MAX_NESTING = 256

/** Whether brackets stand open beyond that in a JSON text, those inside strings not counted. */
export function isTooDeep(body: Uint8Array): boolean {
  let depth = 0
  for (let index = 0; index < body.length; index++) {
    const byte = body[index]
    if (byte === QUOTE) index = endOfString(body, index)
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > MAX_NESTING) return true
    } else if (byte === 0x5d || byte === 0x7d) depth--
  }
  return false
}

/** Where the string ends that begins at `start`: its closing quote, or the end of the body. */
function endOfString(body: Uint8Array, start: number): number {
  let index = start + 1
  while (index < body.length && body[index] !== QUOTE) index += body[index] === BACKSLASH ? 2 : 1
  return index
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
