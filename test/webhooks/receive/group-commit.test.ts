/** How many transactions run at the same time, and how each item is settled. */
import {expect, test} from 'vitest'
import {GroupCommit, type Settled} from '../../../src/webhooks/receive/group-commit.js'
import {eventually} from '../../support/eventually.js'

interface Transaction {
  readonly items: readonly string[]
  readonly succeed: () => void
  readonly fail: (error: Error) => void
}

function committing(options: {maxRunning?: number; enough?: number} = {}) {
  const transactions: Transaction[] = []
  const settled: [string, Settled<string>][] = []
  const commits = new GroupCommit<string, string>({
    commit: items =>
      new Promise((resolve, fail) => {
        transactions.push({items, fail, succeed: () => resolve(items.map(item => `kept ${item}`))})
      }),
    maxWaiting: 5,
    maxBatch: 2,
    ...options,
  })
  const add = (...items: string[]) =>
    items.map(item => commits.add(item, outcome => settled.push([item, outcome])))
  /** Returns the items of each transaction, joined to a word. */
  const items = () => transactions.map(transaction => transaction.items.join(''))
  return {commits, transactions, settled, add, items}
}

test('one transaction at a time by default; items added meanwhile go into the next', async () => {
  const {commits, transactions, settled, add, items} = committing()
  expect(add('a', 'b', 'c', 'd', 'e', 'f')).toEqual([true, true, true, true, true, false])
  await eventually(() => expect(items()).toEqual(['ab']))
  transactions[0]?.succeed()
  await eventually(() => expect(items()).toEqual(['ab', 'cd']))
  expect(settled).toEqual([
    ['a', {outcome: 'kept a'}],
    ['b', {outcome: 'kept b'}],
  ])
  expect(commits.waiting).toBe(3)
})

test('two at a time: each of them settles its own, whichever ends first', async () => {
  const {commits, transactions, settled, add, items} = committing({maxRunning: 2})
  add('a', 'b', 'c', 'd', 'e')
  await eventually(() => expect(items()).toEqual(['ab', 'cd']))
  const error = new Error('disk full')
  transactions[1]?.fail(error)
  await eventually(() => expect(items()).toEqual(['ab', 'cd', 'e']))
  expect(settled).toEqual([
    ['c', {error}],
    ['d', {error}],
  ])
  transactions[0]?.succeed()
  transactions[2]?.succeed()
  await eventually(() => expect(commits.waiting).toBe(0))
  expect(settled.map(([item]) => item)).toEqual(['c', 'd', 'a', 'b', 'e'])
})

test('a full batch starts at once, unless a transaction is running', async () => {
  const {transactions, add, items} = committing({enough: 2})
  add('a')
  expect(items()).toEqual([])
  add('b', 'c', 'd')
  expect(items()).toEqual(['ab'])
  transactions[0]?.succeed()
  await eventually(() => expect(items().at(-1)).toBe('cd'))
})
