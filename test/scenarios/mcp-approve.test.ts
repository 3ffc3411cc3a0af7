/** A person approves at a terminal what an agent has prepared, while the agent's server runs, and sees it in the journal. */
import {afterAll, beforeAll, expect, test} from 'vitest'
import {credentialsOf} from '../../src/cli/features/sandbox/command.js'
import {openState, type State} from '../../src/state/state.js'
import {callerThat, serverAt, wanted} from '../support/agents.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {firstOffer, searchWith} from '../support/stay.js'
import {atTerminal, ends} from '../support/terminal.js'

const sandbox = await sandboxOfFile()
const {home} = sandbox
const {client_id: clientId, client_secret: clientSecret} = credentialsOf()
let state: State

beforeAll(() => {
  state = openState(home.configDirectory)
})
afterAll(() => state.close())

const waiting = callerThat('cannot_ask')

/** Opens a server and prepares a reservation of a new offer. */
async function preparedBy() {
  const {bookings} = await serverAt(state, sandbox.baseUrl, {
    namesPaths: false,
    consent: 'ask',
    target: {clientId, clientSecret},
    limits: {currency: 'EUR', maxTotal: '100000', maxEach: '50000', perDay: undefined},
  })
  const offer = await firstOffer(home, searchWith({'--room': '2:5'}))
  const plan = await bookings.prepareReservation(wanted(offer), waiting)
  return {bookings, plan, approving: ['mcp', 'approve', plan.handle]}
}

test('what is booked is shown and approved, and the same call goes on', async () => {
  const {bookings, plan, approving} = await preparedBy()
  await expect(bookings.reserve(plan.handle, waiting)).rejects.toMatchObject({
    details: {code: 'approval_needed', hint: expect.stringContaining(approving.join(' '))},
  })
  const run = atTerminal(home, approving, {columns: 120, rows: 50})
  await ends(run, 0, [`Reserve this for ${plan.price.amount} EUR (TEST)? (y/N)`, 'y\r'])
  const screen = run.screen()
  for (const text of [
    'Canary',
    'assistant 1.0',
    'TEST: no real money',
    plan.client_reference_id,
    'Approved:',
  ])
    expect(screen).toContain(text)
  expect(await bookings.reserve(plan.handle, waiting)).toMatchObject({outcome: 'confirmed'})
  expect(await home.refusal(approving)).toMatchObject({exit: 2, code: 'handle_used'})
  const listed = await home.json<{entries: object[]}>(['journal', '--by', 'mcp'])
  expect(listed.result.entries).toMatchObject([
    {outcome: 'confirmed', by: 'mcp', program: 'assistant 1.0', handle: plan.handle},
  ])
  const columns = await home.run(['journal', '--by', 'mcp', '--columns', 'program,handle', '--format', 'tsv'])
  expect(columns.stdout).toContain(`assistant 1.0\t${plan.handle}`)
})

test('a no is kept, Ctrl-C decides nothing, and without a terminal nobody is asked', async () => {
  const {bookings, plan, approving} = await preparedBy()
  const stopped = atTerminal(home, approving, {columns: 120, rows: 50})
  await ends(stopped, 130, ['(y/N)', '\u0003'])
  expect(stopped.screen()).toContain('nothing was decided')
  const asked = await home.refusal(approving)
  expect(asked).toMatchObject({exit: 2, code: 'approval_needs_terminal'})
  expect(await home.refusal([...approving, '--yes'])).toMatchObject({exit: 2, code: 'unknown_flag'})
  await expect(bookings.reserve(plan.handle, waiting)).rejects.toMatchObject({
    details: {code: 'approval_needed'},
  })
  await ends(atTerminal(home, approving, {columns: 120, rows: 50}), 0, ['(y/N)', 'n\r'])
  await expect(bookings.reserve(plan.handle, waiting)).rejects.toMatchObject({details: {code: 'declined'}})
  expect(await home.refusal(approving)).toMatchObject({exit: 2, code: 'handle_decided'})
  expect((await sandbox.requests()).filter(line => line.endsWith('/hotel')).length).toBeLessThan(2)
})

test('a handle that is not valid is refused, also one of another client', async () => {
  const {approving} = await preparedBy()
  const other = {...home.env, BOOKCTL_CLIENT_ID: 'cid_other'}
  for (const [argv, env] of [
    [['mcp', 'approve', 'hdl_none'], home.env],
    [['mcp', 'approve', `${approving[2]}x`], home.env],
    [approving, other],
  ] as const) {
    const before = {...home.env}
    Object.assign(home.env, env)
    expect(await home.refusal(argv)).toMatchObject({exit: 2, code: 'handle_not_valid'})
    Object.assign(home.env, before)
  }
})
