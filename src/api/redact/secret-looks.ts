/** What looks like a secret, or like somebody's address or number, under whatever name it stands. */
import {LIVE_SECRET_PREFIX, SIGNING_SECRET_PREFIX, TEST_SECRET_PREFIX} from '../../contract/identifiers.js'
import {matchesOf, type Range} from './hidden-ranges.js'
import {personalNumbersIn} from './personal-numbers.js'

const SECRET_LOOKS = [
  new RegExp(`(${LIVE_SECRET_PREFIX}|${TEST_SECRET_PREFIX}|${SIGNING_SECRET_PREFIX})[\\w+/=.~-]+`, 'g'),
  /\b(Bearer|Basic)\s+[\w+/=.~-]{4,}/gi,
  /\beyJ[\w-]{5,1000}\.[\w-]+(\.[\w-]*)?/g,
  // From the beginning of the word alone: from each of its characters anew would take hours for a long one.
  /(?<![\p{L}\p{M}\p{N}_.+-])[\p{L}\p{M}\p{N}_.+-]+@[\p{L}\p{M}\p{N}_-]+(\.[\p{L}\p{M}\p{N}_-]+)+/gu,
  // The value of a telling parameter, also in a link without a host.
  /(?<=[?&;](?:[\w-]{0,64}(?:token|sig|signature|secret|key|expires|credential|code|auth)[\w-]{0,64})=)[^&\s"'<>]+/gi,
]

/** Where in a text they are; ranges may overlap. */
export function looksIn(text: string): Range[] {
  return [...SECRET_LOOKS.flatMap(look => matchesOf(look, text)), ...personalNumbersIn(text)]
}
