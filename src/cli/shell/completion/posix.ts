/** What the scripts of bash and zsh have in common: the function that tells where values come from. */
import type {CompletionModel, Values} from './model.js'
import {posixQuote as quote} from './quote.js'

/** `givenOf` writes the words to choose from as the shell's own kind of list. */
export function valuesFunction(
  {places, everywhere}: CompletionModel,
  givenOf: (values: Extract<Values, {kind: 'given'}>) => string,
): string {
  const assign = (values: Values): string => {
    if (values.kind === 'asked') return `asked=${quote(values.source)}`
    if (values.kind === 'files') return 'files=1'
    return `given=${givenOf(values)}${values.isList ? ' list=1' : ''}`
  }
  const valuesCase = (path: string, name: string, values: Values) => {
    const pattern = name === '#*' ? `${quote(`${path} #`)}*` : quote(`${path} ${name}`)
    return `  ${pattern}) ${assign(values)} ;;`
  }
  return `# Where the values of the flag or argument $2 of the command $1 come from.
_bookctl_values() {
  case "$1 $2" in
${places.flatMap(place => [...place.values].map(([name, values]) => valuesCase(place.path, name, values))).join('\n')}
  *)
    case "$2" in
${[...everywhere.values].map(([name, values]) => `    ${quote(name)}) ${assign(values)} ;;`).join('\n')}
    esac
    ;;
  esac
}`
}
