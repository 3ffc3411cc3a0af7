/** Programs with several workers, simulated: no rule accuses a right one, however its requests and answers cross on the way. */
import fc from 'fast-check'
import {expect, test} from 'vitest'
import type {SeenRequest} from '../../../src/sandbox/certify/evidence.js'
import {judge} from '../../../src/sandbox/certify/judge.js'
import {workersOf} from '../../../src/sandbox/certify/rule.js'
import {type Program, simulate} from './workers.js'

const failedOf = (requests: readonly SeenRequest[]): string[] => {
  const {rules} = judge({requests, attempts: []}, 'cid_sandbox')
  return rules.filter(({verdict}) => verdict === 'failed').map(({rule}) => rule)
}

const anyProgram = {
  workers: fc.integer({min: 2, max: 50}),
  calls: fc.integer({min: 2, max: 6}),
  isFresh: fc.boolean(),
  wayMilliseconds: fc.constantFrom(0, 1, 20, 150),
  pauseMilliseconds: fc.constantFrom(0, 5, 100),
  serveMilliseconds: fc.constantFrom(1, 10, 40),
  seed: fc.integer(),
}

test('a right program whose tokens expire under its workers', async () => {
  const right = fc.record<Program>({
    ...anyProgram,
    asks: fc.constantFrom('each worker', 'one for all', 'each process'),
    expiries: fc.uniqueArray(fc.integer({min: 1, max: 1500}), {maxLength: 2}),
  })
  const isRight = fc.asyncProperty(right, async program => {
    const requests = await simulate(program)
    // Two workers that never meet look like one.
    fc.pre(workersOf(requests).areSeveral)
    expect(failedOf(requests)).toEqual([])
  })
  await fc.assert(isRight, {numRuns: 60})
})

test('a token for each call, whoever and how many ask', async () => {
  const wasteful = fc.record<Program>({
    ...anyProgram,
    calls: fc.integer({min: 4, max: 8}),
    isFresh: fc.constant(false),
    asks: fc.constant('every call'),
    expiries: fc.constant([]),
  })
  const isNamed = fc.asyncProperty(wasteful, async program => {
    expect(failedOf(await simulate(program))).toEqual(['token.cached'])
  })
  await fc.assert(isNamed, {numRuns: 20})
})
