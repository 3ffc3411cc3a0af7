/** `sandbox ledger`: an operator sees what an account was charged. */
import {expect, test} from 'vitest'
import {ownSandbox} from '../support/served-sandbox.js'
import {reservationIn} from '../support/stay.js'

const opened = {currency: 'EUR', opening_balance: '100000.00'}

test('the ledger has each booking and its cancellation, and ends with the balance of the account', async () => {
  const {home, control} = await ownSandbox()
  expect(await home.json(['sandbox', 'ledger'])).toEqual(
    expect.objectContaining({
      exit: 0,
      result: {client_id: 'cid_sandbox', ...opened, entries: [], balance: '100000.00'},
    }),
  )
  expect(await home.run(['sandbox', 'ledger'])).toMatchObject({exit: 0, stdout: ''})
  const reference = await reservationIn(home)
  expect((await control('POST', '/_sandbox/clock', {advance_seconds: 60})).status).toBe(200)
  expect(await home.run(['reservations', 'cancel', reference, '--yes'])).toMatchObject({exit: 0})
  const {result} = await home.json<Ledger>(['sandbox', 'ledger'])
  expect(result).toMatchObject({client_id: 'cid_sandbox', ...opened})
  const [booking, refund, ...fees] = result.entries
  expect(booking).toMatchObject({
    kind: 'booking',
    reservation_ref: reference,
    amount: expect.stringMatching(/^-\d/),
  })
  expect(refund).toMatchObject({kind: 'refund', reservation_ref: reference, amount: booking?.amount.slice(1)})
  expect(fees.every(({kind}) => kind === 'fee')).toBe(true)
  expect(Object.keys(result.entries[0] ?? {})).toEqual(['at', 'kind', 'reservation_ref', 'amount', 'balance'])
  const account = await home.run(['account', '--query', 'account.balance'])
  expect(account.stdout).toBe(`${result.balance}\n`)
  expect(result.entries.at(-1)?.balance).toBe(result.balance)
  const lines = (await home.run(['sandbox', 'ledger'])).stdout.trimEnd().split('\n')
  expect(lines).toEqual(result.entries.map(entry => Object.values(entry).join('\t')))
})

interface Ledger {
  readonly entries: readonly Record<'kind' | 'reservation_ref' | 'amount' | 'balance', string>[]
  readonly balance: string
}

test('each client has its own; one that does not exist is refused', async () => {
  const {home} = await ownSandbox()
  await reservationIn(home)
  for (const name of ['poor', 'cid_sandbox_poor']) {
    const {result} = await home.json(['sandbox', 'ledger', '--client', name])
    expect(result).toEqual({
      client_id: 'cid_sandbox_poor',
      currency: 'EUR',
      opening_balance: '10.00',
      entries: [],
      balance: '10.00',
    })
  }
  const {exit, result} = await home.json(['sandbox', 'ledger', '--client', 'cid_x'])
  const error = {
    code: 'not_found',
    message: expect.stringContaining('cid_sandbox_readonly'),
    hint: expect.stringContaining('--client'),
  }
  expect({exit, result}).toMatchObject({exit: 5, result: {error}})
})

test('of a sandbox that is not running is an error with exit code 7', async () => {
  const {home} = await ownSandbox()
  const gone = ['sandbox', 'ledger', '--base-url', 'http://127.0.0.1:9/partner-api/v1']
  expect(await home.json(gone)).toMatchObject({exit: 7, result: {error: {code: 'sandbox_not_running'}}})
})
