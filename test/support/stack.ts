/** Reports whether a text contains a stack trace, which users must never see. */

/** Matches a line of a stack trace, even inside a JSON string. */
const FRAME = /(?:^|\\n)\s+at .+?:\d+:\d+/m
/** Matches the file and line that Node prints above a stack trace. */
const PLACE = /(node_modules|dist)\/[^\s"]+\.[cm]?js:\d+/

export function hasStack(text: string): boolean {
  return FRAME.test(text) || PLACE.test(text)
}
