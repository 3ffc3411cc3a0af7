/** Whether a text contains a stack trace, which only developers need. */

/** A line of a stack trace, also inside a string of JSON. */
const FRAME = /(?:^|\\n)\s+at .+?:\d+:\d+/m
/** What Node says above one: the file and the line. */
const PLACE = /(node_modules|dist)\/[^\s"]+\.[cm]?js:\d+/

export function hasStack(text: string): boolean {
  return FRAME.test(text) || PLACE.test(text)
}
