/** What a typed answer means. Pure. */
import type {TextQuestion} from './prompts.js'

type Lined = Pick<TextQuestion, 'message' | 'default' | 'empty'>

/** The message with what an empty line gives. */
export function messageOf({message, default: usual, empty}: Lined): string {
  if (usual !== undefined) return `${message} (${usual}${empty === undefined ? '' : `; - for ${empty}`})`
  return empty === undefined ? message : `${message} (empty: ${empty})`
}

/** What `line` answers: itself, the default for an empty one, or nothing for `-` where that may be said. */
export function answerOf({default: usual, empty}: Lined, line: string): string {
  const typed = line.trim()
  if (usual === undefined) return typed
  if (typed === '-' && empty !== undefined) return ''
  return typed === '' ? usual : typed
}

/** Whether `answer` says yes; undefined when it says neither yes nor no. */
export function isYes(answer: string): boolean | undefined {
  const word = answer.trim().toLowerCase()
  if (word === 'y' || word === 'yes') return true
  return word === 'n' || word === 'no' ? false : undefined
}

/** The numbers from 1 to `most` that `answer` consists of; none when it holds anything else. */
export function numbersIn(answer: string, most: number): number[] {
  const words = answer.split(/[\s,]+/).filter(word => word !== '')
  const numbers = words.map(word => (/^\d{1,6}$/.test(word) ? Number(word) : 0))
  return numbers.every(number => number >= 1 && number <= most) ? numbers : []
}
