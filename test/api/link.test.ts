/** How long the fetch of a link may take. */
import {expect, test} from 'vitest'
import type {SendPolicy} from '../../src/api/api.js'
import {createApi} from '../../src/api/client.js'
import {fakeClock} from '../support/clocks.js'

test.each([
  [undefined, 60],
  [5, 5],
  [90, 90],
])('with a timeout of %s it is %i seconds', async (timeoutSeconds, seconds) => {
  const policies: SendPolicy[] = []
  const api = createApi({
    baseUrl: 'https://service.test/v1',
    sender: {
      async send(_, policy) {
        policies.push(policy)
        return {status: 200, headers: {}, body: Buffer.from('%PDF-'), attempts: 1, mayHaveActed: false}
      },
    },
    tokens: {get: () => expect.fail('no token is needed'), replace: () => expect.fail('nor another')},
    clock: fakeClock(),
    ...(timeoutSeconds === undefined ? {} : {timeoutSeconds}),
  })
  await api.fetchLink('https://files.test/v')
  expect(policies.map(policy => policy.timeoutSeconds)).toEqual([seconds])
})
