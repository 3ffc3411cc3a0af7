/**
 * The answer to a completion script: `bookctl __complete KIND [WORD]` prints the candidates, one a line, value and
 * description separated by a tab. It is asked while somebody types, so it never fails, says nothing on stderr, touches
 * no network and creates nothing; what cannot be read has no candidates.
 */
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {fold} from '../../input/match.js'
import {type Candidate, candidatesOf, isSource} from '../candidates.js'

/** Ours: a shell asks before it lists more than about this. */
const MOST = 200
/** Ours, in characters. */
const LONGEST_VALUE = 200
const LONGEST_DESCRIPTION = 60

/** The lines for a kind of word, of which `word` is typed so far. */
export function candidateLines(configDirectory: string, kind = '', word = ''): string {
  if (!isSource(kind)) return ''
  const fitting = choose(candidatesOf(kind, configDirectory), word)
  return fitting.map(({value, description}) => `${value}\t${description}\n`).join('')
}

/** Those that begin with `word`; without any, those whose description holds it: cities and hotels are known by name. */
function choose(candidates: readonly Candidate[], word: string): Candidate[] {
  const clean = candidates.filter(isPlain).map(({value, description}) => ({
    value,
    description: sanitizeLine(description, LONGEST_DESCRIPTION),
  }))
  const beginning = clean.filter(({value}) => value.startsWith(word))
  const named = () => clean.filter(({description}) => fold(description).includes(fold(word)))
  return (beginning.length > 0 ? beginning : named()).slice(0, MOST)
}

/** A value that is not what it looks like, or that would not be one line, is not offered. */
function isPlain({value}: Candidate): boolean {
  return value !== '' && value.length <= LONGEST_VALUE && sanitizeLine(value) === value
}
