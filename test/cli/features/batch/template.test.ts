/** The templates are trips that the local sandbox can book. */
import {expect, test} from 'vitest'
import {templateText} from '../../../../src/cli/features/batch/template.js'
import {isTcNumber} from '../../../../src/contract/identifiers.js'
import {closing} from '../../../support/own.js'
import {startSandbox} from '../../../support/sandbox.js'
import {read} from './files.js'

test.each(['csv', 'ndjson'] as const)('the local sandbox books the template of %s', async format => {
  const {trips} = await read(`trips.${format}`, await templateText(format), {day: undefined})
  expect(trips).toHaveLength(1)
  const sandbox = closing(await startSandbox({inProcess: true, clock: () => Date.now() / 1000}))
  const client = await sandbox.client()
  for (const {search, choose, parsed} of trips) {
    if (!search) throw new Error('the template has no search')
    const {city, ...stay} = search
    const offers = await client.search({destination: {type: 'CITY', id: city}, ...stay})
    const limit = Number(choose.maxPrice?.amount)
    const offer = offers.find(({price}) => price.currency === 'EUR' && Number(price.total) <= limit)
    const {status, json} = await client.convert(offer, parsed as Record<string, unknown>)
    expect({status, json}).toMatchObject({
      status: 201,
      json: {data: {status: 'CONFIRMED', guests: {length: 2}}},
    })
    const numbers = parsed.guests?.map(({identity}) => identity?.number ?? '')
    expect(numbers?.map(isTcNumber)).toEqual([true, false])
  }
})
