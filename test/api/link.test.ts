/** How long the fetch of a link may take, and whose failure one is that cannot be fetched. */
import {expect, test} from 'vitest'
import {fetchLink} from '../../src/api/operations/client.js'
import {ExchangeError, SendError, type Sender} from '../../src/api/types.js'
import {describeFailure} from '../../src/cli/shell/exit-codes.js'
import {rejectionOf} from '../support/thrown.js'

test.each([
  [undefined, 60],
  [5, 5],
  [90, 90],
])('with a timeout of %s it is %i seconds', async (timeoutSeconds, seconds) => {
  const given: number[] = []
  const send: Sender['send'] = async (_, policy) => {
    given.push(policy.timeoutSeconds)
    return {status: 200, headers: {}, body: Buffer.from('%PDF-'), attempts: 1, mayHaveActed: false}
  }
  const parts = {baseUrl: 'https://service.test/v1', sender: {send}}
  await fetchLink(timeoutSeconds === undefined ? parts : {...parts, timeoutSeconds}, 'https://files.test/v')
  expect(given).toEqual([seconds])
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
