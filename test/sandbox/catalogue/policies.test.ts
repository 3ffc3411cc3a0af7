import {describe, expect, it} from 'vitest'
import {policyMaker} from '../../../src/sandbox/catalogue/search-offers.js'

const seconds = (timestamp: string) => Date.parse(timestamp) / 1000
const CHECK_IN = '2030-07-10'
const EARLY = seconds('2030-06-01T12:00:00Z')
const TERMS = {freeUntilDays: 4, firstNight: 100n, total: 300n}

const inIstanbul = (now: number) => policyMaker(CHECK_IN, 'Europe/Istanbul', now)

describe('cancellation', () => {
  it('is free until 18:00 at the hotel, then costs the first night, then everything', () => {
    expect(inIstanbul(EARLY)(TERMS)).toEqual({
      freeUntil: '2030-07-06T18:00:00+03:00',
      refundable: true,
      steps: [
        {from: '2030-07-06T18:00:00+03:00', minor: 100n},
        {from: '2030-07-09T18:00:00+03:00', minor: 300n},
      ],
    })
  })

  it('has its last step on the day of check-in when it is free until the day before', () => {
    const {steps} = inIstanbul(EARLY)({...TERMS, freeUntilDays: 1})
    expect(steps.map(step => step.from)).toEqual(['2030-07-09T18:00:00+03:00', '2030-07-10T18:00:00+03:00'])
  })

  it('costs everything at once when it is never free', () => {
    expect(inIstanbul(EARLY)({...TERMS, freeUntilDays: null})).toEqual({
      freeUntil: null,
      refundable: false,
      steps: [{from: '2030-06-01T15:00:00+03:00', minor: 300n}],
    })
  })

  it('is one step for a stay of one night', () => {
    const {steps, refundable} = inIstanbul(EARLY)({...TERMS, firstNight: 300n})
    expect(steps).toEqual([{from: '2030-07-06T18:00:00+03:00', minor: 300n}])
    expect(refundable).toBe(true)
  })

  it('is free to the last second before the deadline and not at it', () => {
    const deadline = seconds('2030-07-06T18:00:00+03:00')
    expect(inIstanbul(deadline - 1)(TERMS).freeUntil).toBe('2030-07-06T18:00:00+03:00')
    const after = inIstanbul(deadline)(TERMS)
    expect(after).toMatchObject({freeUntil: null, refundable: true})
    expect(after.steps).toHaveLength(2)
  })

  it('says only what still holds after the last deadline', () => {
    const late = inIstanbul(seconds('2030-07-09T18:00:00+03:00'))(TERMS)
    expect(late).toEqual({
      freeUntil: null,
      refundable: false,
      steps: [{from: '2030-07-09T18:00:00+03:00', minor: 300n}],
    })
  })

  it('keeps to the wall clock when the clocks change between the deadlines', () => {
    const {steps} = policyMaker('2026-03-30', 'Europe/Berlin', seconds('2026-01-01T00:00:00Z'))(TERMS)
    expect(steps.map(step => step.from)).toEqual(['2026-03-26T18:00:00+01:00', '2026-03-29T18:00:00+02:00'])
  })
})
