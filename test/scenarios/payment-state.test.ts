/** The output shows the current state of a reservation's payment: paid, declined, expired or cancelled. */
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {beforeEach, describe, expect, test} from 'vitest'
import {ENTRY, type Home} from '../support/bookctl.js'
import {closing, ownHome} from '../support/own.js'
import {drop, ScriptedService} from '../support/scripted-service.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {GUESTS, offerIn} from '../support/stay.js'
import {atTerminal} from '../support/terminal.js'

interface Made {
  readonly outcome: string
  readonly reservation: {readonly reservation_ref: string; readonly payment: {readonly status?: string}}
}

const sandbox = await sandboxOfFile()

describe('on the sandbox', () => {
  const {home} = sandbox

  const control = (...argv: string[]) => home.run(['sandbox', ...argv, '--base-url', sandbox.baseUrl])

  async function make(reference: string): Promise<{argv: string[]; ref: string}> {
    const paying = ['--pay', 'instant', '--client-reference', reference]
    const argv = ['reserve', await offerIn(home), ...paying, ...GUESTS]
    const made = await home.json<Made>(argv)
    expect(made).toMatchObject({exit: 0, result: {outcome: 'pending_payment'}})
    return {argv, ref: made.result.reservation.reservation_ref}
  }

  test('a reservation that was paid meanwhile is confirmed, and no text asks for payment', async () => {
    const {argv, ref} = await make('PAID-1')
    await control('pay', ref)
    const reservation = {status: 'CONFIRMED', payment: {status: 'PAID'}}
    const resume = ['reserve', '--resume', 'PAID-1']
    for (const again of [[...argv, '--wait'], resume]) {
      const {exit, result, stderr} = await home.json(again)
      expect({exit, ...result}).toMatchObject({exit: 0, outcome: 'confirmed', reservation})
      expect(stderr).not.toMatch(/paid|pending/i)
    }
  })

  test('a declined payment is reported, with the time until which it can be tried again', async () => {
    const {argv, ref} = await make('DECLINED-1')
    await control('pay', ref, '--decline')
    const words =
      /the payment was declined \(card_declined\); it can be tried again until \d{4}-\d\d-\d\dT[\d:.]+Z/
    const resume = ['reserve', '--resume', 'DECLINED-1']
    const stderr = expect.stringMatching(words)
    expect(await home.run([...resume, '--quiet'])).toMatchObject({exit: 0, stderr})
    const result = {outcome: 'pending_payment', reservation: {payment: {status: 'FAILED'}}}
    for (const again of [resume, argv])
      expect(await home.json(again)).toMatchObject({exit: 0, result, stderr})
    const waited = await home.refusal([...resume, '--wait=0'])
    expect(waited).toMatchObject({exit: 8, code: 'payment_pending', message: stderr})

    await control('clock', '--advance', '16m')
    const expired = await home.json(resume)
    expect(expired).toMatchObject({exit: 5, result: {outcome: 'expired', reservation: {status: 'EXPIRED'}}})
    expect(expired.stderr).not.toContain('tried again')
    const late = await home.json<{error: {message: string}}>([...resume, '--wait'])
    expect(late).toMatchObject({exit: 5, result: {error: {code: 'not_confirmed'}, outcome: 'expired'}})
    expect(late.result.error.message).toContain(`reservation ${ref} is expired`)
  })

  test('a wait ends when it is cancelled elsewhere', async () => {
    const {argv, ref} = await make('GONE-1')
    const waiting = home.spawn([...argv, '--wait=60', '--json'])
    expect(await home.run(['reservations', 'cancel', ref, '--yes'])).toMatchObject({exit: 0})
    const {exit, stdout} = await waiting
    const ended = {exit: 5, outcome: 'cancelled', error: {code: 'not_confirmed'}}
    expect({exit, ...JSON.parse(stdout)}).toMatchObject(ended)
  })
})

describe('on another service', () => {
  let service: ScriptedService
  let home: Home

  beforeEach(async () => {
    service = closing(await ScriptedService.start())
    service.status = 'PENDING_PAYMENT'
    home = ownHome(service.env)
  })

  const PAYING = ['--pay', 'instant', '--nationality', 'TR', ...GUESTS]
  const RESERVE = ['reserve', 'off_1', '--client-reference', 'T-1', ...PAYING]
  const RESUME = ['reserve', '--resume', 'T-1']
  const make = async () => expect(await home.json(RESERVE)).toMatchObject({exit: 0})

  test('a wait shows that it waits, with its result in a pipe too, and at a stop names the command that goes on', async () => {
    const line = [process.execPath, ENTRY, ...RESERVE, '--base-url', service.baseUrl, '--yes', '--wait']
    const words = line.map(word => `'${word}'`).join(' ')
    // The reader of the pipe outlives Ctrl-C, and the script exits with bookctl's exit code.
    const script = `trap : INT; ${words} | (trap '' INT; cat > made.txt); exit \${PIPESTATUS[0]}`
    const terminal = atTerminal(home, [], {columns: 200, command: ['bash', '-c', script]})
    await terminal.waitFor(/\S waiting… \d+ s/)
    terminal.press('ctrl-c')
    expect(await terminal.exit).toBe(130)
    expect(terminal.screen()).toContain(
      `the reservation R-1 was made; keep waiting: bookctl reserve --resume T-1 --wait --base-url ${service.baseUrl}`,
    )
    expect(readFileSync(join(home.directory, 'made.txt'), 'utf8')).toBe('')
    expect(service.seen('/reservations/hotel')).toHaveLength(1)
  })

  test('without a path to show it, a voucher says that it is confirmed', async () => {
    await make()
    expect(await home.json(RESUME)).toMatchObject({exit: 0, result: {outcome: 'pending_payment'}})
    service.hasVouchers = true
    const result = {outcome: 'confirmed', reservation: {status: 'CONFIRMED'}}
    expect(await home.json([...RESERVE, '--wait'])).toMatchObject({exit: 0, stderr: '', result})
    // On this machine, the client may ask outside the API whether the service is a sandbox.
    const known = /^\/(_sandbox\/clock|oauth\/token|reservations\/hotel|reservations\/R-1\/voucher)$/
    expect(service.received.map(({path}) => path).filter(path => !known.test(path))).toEqual([])
    expect(service.seen('/reservations/hotel')).toHaveLength(1)
  })

  test('if the service does not answer, the last known state is printed with a warning', async () => {
    await make()
    service.script = drop
    const stderr = expect.stringContaining('this is its last known state')
    const resumed = await home.json([...RESUME, '--timeout', '2'])
    expect(resumed).toMatchObject({exit: 0, result: {outcome: 'pending_payment'}, stderr})
  })
})
