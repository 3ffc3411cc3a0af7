/** What a typed answer means. Pure. */

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
