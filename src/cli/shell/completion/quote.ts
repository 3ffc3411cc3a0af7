/** Words of ours in the syntax of shells, always between single quotes, so that nothing in them is acted upon. */
import {sanitizeLine} from '../../../contract/foreign-text.js'

/** For bash and zsh. */
export function posixQuote(text: string): string {
  return `'${sanitizeLine(text).replaceAll("'", `'\\''`)}'`
}

export function fishQuote(text: string): string {
  return `'${sanitizeLine(text).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** PowerShell takes typographic quotes for quotes, too. */
export function powershellQuote(text: string): string {
  return `'${sanitizeLine(text).replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`
}
