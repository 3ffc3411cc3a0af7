/** Events and their reservation: waiting for one beside a listener of another process or machine, and listing them. */
import type {ChildProcess} from 'node:child_process'
import {expect, test} from 'vitest'
import type {Home} from '../support/bookctl.js'
import {eventually} from '../support/eventually.js'
import type {ListenProcess} from '../support/listening.js'
import {ownListening, ownReceiverHome} from '../support/own.js'
import {ownSandbox} from '../support/served-sandbox.js'
import {reservationIn} from '../support/stay.js'
import {SECRET, sendEvent} from '../support/webhook-load.js'
import {describeSharing} from './sharing-machines.js'

const WAIT = ['webhooks', 'events', 'wait', '--reservation', 'RSV-1', '--type', 'voucher.ready']

/** Sends an event about a reservation, signed as the service would. Returns the status of the answer. */
function send({port}: {readonly port: number}, id: string, type: string, reference = 'RSV-1') {
  const data = {object: 'reservation', reservation_ref: reference, status: 'CONFIRMED'}
  return sendEvent(port, JSON.stringify({id, type, created: '2030-06-01T12:00:00Z', data}), id, {
    secret: SECRET,
  })
}

/** Waits in one process for what another receives, and sends the event only when the first one is about to wait. */
async function waitBeside(waiting: Home, receiver: ListenProcess, id: string) {
  let said = ''
  const onStart = (child: ChildProcess) => void child.stderr?.on('data', text => (said += text))
  // The warning about the second type is printed when the command is about to wait.
  const argv = [...WAIT, '--type', 'voucher.gone', '--within', '60', '--json']
  const waited = waiting.spawn(argv, {onStart})
  await eventually(() => expect(said).toContain('voucher.gone is not a known event type'))
  expect(await send(receiver, `${id}_other`, 'reservation.confirmed')).toBe(200)
  expect(await send(receiver, `${id}_else`, 'voucher.ready', 'RSV-2')).toBe(200)
  expect(await send(receiver, id, 'voucher.ready')).toBe(200)
  const {exit, stdout} = await waited
  expect(exit).toBe(0)
  return (JSON.parse(stdout) as {event: Record<string, unknown>}).event
}

test('waits next to a running listener, shows the event, and lists the events of the reservation', async () => {
  const home = ownReceiverHome()
  const receiver = await ownListening(home)
  const event = await waitBeside(home, receiver, 'evt_1')
  const subject = {reservation_ref: 'RSV-1', status: 'CONFIRMED'}
  expect(event).toMatchObject({event_id: 'evt_1', event_type: 'voucher.ready', ...subject})
  expect(event.event).toMatchObject({id: 'evt_1', data: subject})

  const again = await home.run([...WAIT, '--within', '0', '--query', 'event.event_id'])
  expect(again).toMatchObject({exit: 0, stdout: 'evt_1\n'})
  const late = await home.refusal([...WAIT, '--new', '--within', '1'])
  expect(late).toMatchObject({exit: 8, code: 'event_missing', stderr: ''})
  expect(late.message).toBe('voucher.ready of RSV-1 did not come within 1 s')
  expect(late.hint).toContain('webhooks events list --reservation RSV-1')

  type Listed = {events: Record<string, unknown>[]}
  const list = ['webhooks', 'events', 'list', '--reservation', 'RSV-1']
  const {events} = (await home.json<Listed>(list)).result
  expect(events).toMatchObject([
    {event_id: 'evt_1', ...subject},
    {event_id: 'evt_1_other', ...subject},
  ])
  const rows = await home.run([
    ...list,
    '--columns',
    'event_id,reservation_ref,status',
    '--type',
    'voucher.ready',
  ])
  expect(rows.stdout).toBe('evt_1\tRSV-1\tCONFIRMED\n')
  const exported = await home.run(['webhooks', 'events', 'export', '--reservation', 'RSV-2'])
  expect(JSON.parse(exported.stdout)).toMatchObject({event_id: 'evt_1_else'})
  expect(await home.refusal([...list, '--reservation', 'null'])).toMatchObject({exit: 2})
})

test('Ctrl-C ends the wait with 130, and a wait for nothing in particular is refused', async () => {
  const home = ownReceiverHome()
  const ended = home.spawn([...WAIT, '--type', 'voucher.redy', '--json'], {
    // The warning is printed once the command is about to wait.
    onStart: child => child.stderr?.once('data', () => child.kill('SIGINT')),
  })
  const {exit, stdout, stderr} = await ended
  expect(exit).toBe(130)
  expect(JSON.parse(stdout)).toMatchObject({error: {code: 'interrupted'}})
  expect(stderr).toContain('voucher.redy is not a known event type')
  const nothing = await home.refusal(['webhooks', 'events', 'wait', '--within', '1'])
  expect(nothing).toMatchObject({exit: 2, code: 'missing_flag'})
  expect(nothing.message).toContain('--reservation, --type, --id or --new')
})

test('shows a reservation with what was received about it', async () => {
  const {home} = await ownSandbox()
  const receiver = await ownListening(home)
  const made = await reservationIn(home)
  expect(await send(receiver, 'evt_1', 'voucher.ready', made)).toBe(200)
  expect(await send(receiver, 'evt_2', 'voucher.ready', 'RSV-2')).toBe(200)
  const show = ['reservations', 'show', made]
  const event = {event_id: 'evt_1', reservation_ref: made, status: 'CONFIRMED'}
  const one = await home.json([...show, '--events'])
  expect(one.result).toMatchObject({reservation: {reservation_ref: made}, events: [event]})
  expect(Object.keys((await home.json(show)).result)).toEqual(['reservation'])
  const several = await home.json([...show, 'RSV-0123456789', '--events'])
  expect(several).toMatchObject({
    exit: 3,
    result: {
      reservations: [
        {events: [event], error: null},
        {events: null, error: {}},
      ],
    },
  })
})

await describeSharing(({machine}) => {
  test('waits on one machine for what another one receives', async () => {
    const receiver = await ownListening(machine())
    const other = machine()
    const event = await waitBeside(other, receiver, 'evt_1')
    expect(event).toMatchObject({event_id: 'evt_1', reservation_ref: 'RSV-1', status: 'CONFIRMED'})
    const list = await other.run(['webhooks', 'events', 'list', '--reservation', 'RSV-1', '--quiet'])
    expect(list.stdout).toBe('evt_1\nevt_1_other\n')
  })
})
