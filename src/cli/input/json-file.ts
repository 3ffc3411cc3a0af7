/** JSON that a person wrote: a mistake is told with its line and column, and with no word of the content. */
import {usage} from '../../contract/failure.js'
import {mistakeIn} from '../../contract/json-mistake.js'

/** The value of `text`. Throws usage naming `flag`, line and column. */
export function readJson(flag: string, text: string): unknown {
  const clean = text.replace(/^\ufeff/, '')
  try {
    return JSON.parse(clean)
  } catch {
    const {line, column, problem} = mistakeIn(clean)
    throw usage('invalid_json', `${flag}: is not JSON: ${problem} at line ${line}, column ${column}`)
  }
}
