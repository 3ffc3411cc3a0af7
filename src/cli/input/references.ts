/** Reads references of reservations, of which a command takes several. `-` stands for those on standard input. */
import * as Args from '@oclif/core/args'
import type {Arg} from '@oclif/core/interfaces'
import {Failure, usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {holdsSecret, IDENTIFIERS} from '../../contract/identifiers.js'
import {checkIdentifier} from './checks.js'
import {readText} from './files.js'
import {wordOf} from './usage-errors.js'

/** Maximum number of references for one command. Not in the interface. */
const MOST_REFERENCES = 10_000

/** Maximum number of mistakes on standard input that are reported. A file with other content has one in every word. */
const MOST_MISTAKES = 20

const ON_INPUT = '-'

const severalReferences = Args.custom<string>({
  parse: async (text, context, {name}) =>
    text === ON_INPUT ? text : checkIdentifier('reservation_ref', wordOf(context, {}, name).shown, text),
})({
  required: true,
  multiple: true,
  description: 'reference of the reservation',
})

/** The argument `REF…`. oclif's types do not say that an argument with `multiple` has a list of values. */
export const referencesArg = {ref: severalReferences as unknown as Arg<readonly string[]>}

/** The words of `REF…`. A word that was refused is undefined. */
export interface ReferenceWords {
  readonly ref?: readonly (string | undefined)[]
}

export interface References {
  /** At least one reference, each once, in the order in which they were given. */
  readonly references: readonly string[]
  /** The reference if it was typed as the only word. The result then has the form for one reservation. */
  readonly only: string | undefined
}

/**
 * Reads references from standard input if one of the `words` of `REF…` is `-`. Throws a usage error that names every
 * mistyped reference there, or if there is none, or if there are more than MOST_REFERENCES in all.
 */
export async function readReferences(words: ReferenceWords['ref'] = []): Promise<References> {
  const given = words.filter(word => word !== undefined)
  const fromInput = given.includes(ON_INPUT) ? await referencesOnInput() : []
  const references = [...new Set(given.flatMap(word => (word === ON_INPUT ? fromInput : [word])))]
  if (references.length > MOST_REFERENCES) {
    const problem = `REF: ${references.length} references, more than the ${MOST_REFERENCES} of one run`
    throw usage('invalid_input', problem, 'divide them between several runs')
  }
  return {references, only: words.length === 1 && fromInput.length === 0 ? references[0] : undefined}
}

/**
 * Reads the references on standard input. Throws a usage error that lists the words that are not references, with their
 * lines, or says that there are none.
 */
async function referencesOnInput(): Promise<string[]> {
  const references: string[] = []
  const mistakes: string[] = []
  let hint: string | undefined
  const lines = (await readText('REF', ON_INPUT)).split('\n')
  for (const [index, line] of lines.entries()) {
    for (const word of line.split(/\s+/)) {
      if (word === '') continue
      try {
        references.push(checkIdentifier('reservation_ref', 'REF', word))
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        hint ??= error.details.hint
        const shown = holdsSecret(word) ? 'a secret' : JSON.stringify(sanitizeLine(word, 40))
        mistakes.push(`${shown} (line ${index + 1})`)
      }
    }
  }
  if (mistakes.length > 0) {
    const unnamed = mistakes.length - MOST_MISTAKES
    const list = `${mistakes.slice(0, MOST_MISTAKES).join(', ')}${unnamed > 0 ? ` and ${unnamed} more` : ''}`
    const {expected} = IDENTIFIERS.reservation_ref
    throw usage('invalid_input', `REF: each on standard input must be ${expected}, not ${list}`, hint)
  }
  if (references.length > 0) return references
  throw usage('missing_argument', 'REF: standard input holds no reference', 'write one on each line')
}
