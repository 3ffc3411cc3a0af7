/** Work on several references: which failures end the run, and the exit code. */
import {expect, test} from 'vitest'
import {attemptEach, endsAll, exitCodeOf, NOT_TRIED} from '../../../../src/cli/features/several/each.js'
import {Failure, type FailureDetails, type FailureKind} from '../../../../src/contract/failure.js'
import {StorageError} from '../../../../src/storage/errors.js'

const failing = (kind: FailureKind, details: Partial<FailureDetails> = {}) =>
  new Failure(kind, `it is ${kind}`, {code: 'x', ...details})

/** The outcomes of A, B and C, where B fails like that. */
const withSecond = (error: unknown) =>
  attemptEach(['A', 'B', 'C'], {
    attempt: async reference => {
      if (reference === 'B') throw error
      return reference
    },
  })

test.each<[string, unknown, boolean]>([
  ['refused', failing('refused', {status: 404}), false],
  ['a failed service', failing('service_failed', {status: 500}), false],
  ['an unknown outcome', failing('outcome_unknown', {status: 503}), false],
  ['still pending', failing('pending', {status: 503}), false],
  ['a file that exists', failing('usage', {code: 'file_exists'}), false],
  ["the host of one voucher's link away", failing('unreachable', {host: 'files.example:443'}), false],
  ['a name taken in the meantime', new StorageError('not_ours', 'it exists', 'name another'), false],
  ['not allowed', failing('not_allowed', {status: 403}), true],
  ['a service that is down', failing('service_failed', {status: 503}), true],
  ['too many requests', failing('refused', {status: 429}), true],
  ['unreachable', failing('unreachable'), true],
  ['a path that would be a guess', failing('usage', {code: 'path_not_shown'}), true],
  ['a full disk', new StorageError('full', 'no space', 'free some'), true],
  ['a bug', new TypeError('x is not a function'), true],
])('%s: ends the run or not', async (_, error, ends) => {
  const [first, second, third] = await withSecond(error)
  expect(first).toEqual({reference: 'A', done: 'A'})
  expect(second?.failure).toBeDefined()
  expect(endsAll(second as NonNullable<typeof second>)).toBe(ends)
  if (!ends) expect(third).toEqual({reference: 'C', done: 'C'})
  else expect(third?.failure).toMatchObject({details: {code: NOT_TRIED}, kind: second?.failure?.kind})
})

test('the exit code is that of the reason if all failed for one, else 3; an unknown outcome comes first', async () => {
  const exit = async (...errors: (Failure | undefined)[]) => {
    const references = errors.map((_, index) => `${index}`)
    const attempt = async (reference: string) => {
      const error = errors[Number(reference)]
      if (error) throw error
    }
    return exitCodeOf(await attemptEach(references, {attempt}))
  }
  const refused = failing('refused')
  expect(await exit(undefined, undefined)).toBe(0)
  expect(await exit(refused, refused)).toBe(5)
  expect(await exit(failing('not_allowed'), undefined)).toBe(4)
  expect(await exit(undefined, failing('not_allowed'), undefined)).toBe(3)
  expect(await exit(refused, undefined)).toBe(3)
  expect(await exit(refused, failing('service_failed'))).toBe(3)
  expect(await exit(refused, failing('outcome_unknown'), failing('unreachable'))).toBe(10)
})

test('what is known beforehand is not attempted, and does not keep the others from it', async () => {
  const attempted: string[] = []
  const failure = failing('not_allowed')
  const outcomes = await attemptEach(['A', 'B'], {
    known: reference => (reference === 'A' ? {reference, failure} : undefined),
    attempt: async reference => void attempted.push(reference),
  })
  expect(attempted).toEqual(['B'])
  expect(outcomes).toEqual([
    {reference: 'A', failure},
    {reference: 'B', done: undefined},
  ])
})

test('after a stop nothing begins, and what does not end by itself is given up', async () => {
  const stopping = new AbortController()
  const attempted: string[] = []
  const outcomes = await attemptEach(['A', 'B'], {
    attempt: reference => {
      attempted.push(reference)
      stopping.abort()
      return new Promise(() => {})
    },
    stopped: stopping.signal,
    underWay: () => failing('outcome_unknown'),
  })
  expect(attempted).toEqual(['A'])
  expect(outcomes.map(({failure}) => failure?.kind)).toEqual(['outcome_unknown', 'interrupted'])
})
