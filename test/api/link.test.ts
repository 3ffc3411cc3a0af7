/** How long the fetch of a link may take, and whose failure one is that cannot be fetched. */
import {expect, test} from 'vitest'
import {createApi, fetchLink} from '../../src/api/operations/client.js'
import {ExchangeError, SendError, type SendPolicy} from '../../src/api/types.js'
import {describeFailure} from '../../src/cli/shell/exit-codes.js'
import {fakeClock} from '../support/clocks.js'
import {rejectionOf} from '../support/thrown.js'

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

test.each(['tls', 'refused', 'timeout'] as const)(
  "a fault of the link's host (%s) is reported as that host's",
  async fault => {
    const sender = {
      send: async () => {
        throw new SendError(new ExchangeError(fault, false, 'ENOTHING files.test:443'), 1, false)
      },
    }
    const work = fetchLink({baseUrl: 'https://service.test/v1', sender}, 'https://files.test/v?token=secret')
    const failure = await rejectionOf(work)
    const {text} = describeFailure(failure, 'https://service.test, profile p')
    expect(text).toContain("the host of the voucher's link, files.test, cannot be reached")
    expect(text).toContain('Host: files.test')
    expect(text).not.toMatch(/service\.test|base URL|secret/)
  },
)
