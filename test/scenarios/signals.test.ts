/**
 * Signals at the end of `reserve`: there is one document, whenever they come, and it reports only known facts about earlier runs.
 */
import {expect, test} from 'vitest'
import type {Finished, Home} from '../support/bookctl.js'
import {ownHome, ownTcpPort} from '../support/own.js'
import {refusing} from '../support/scripted-service.js'
import {reserving} from '../support/stay.js'
import {scriptedHome} from './scripted-home.js'

const {service, home} = await scriptedHome()

const POSTS = '/reservations/hotel'
const reservingAs = (offer: string, reference: string) =>
  reserving(offer, '--json', '--client-reference', reference)

/** Sends signals as soon as the first byte of the document arrives. */
const stoppedWhilePrinting = (where: Home, argv: readonly string[], signal: NodeJS.Signals, times = 1) =>
  where.spawn(argv, {
    onStart: child =>
      child.stdout?.once('data', () => {
        for (let n = 0; n < times; n++) child.kill(signal)
      }),
  })

function documentOf({stdout}: Finished) {
  return JSON.parse(stdout) as Record<string, unknown> & {error?: Record<string, string>}
}

test('an error and a result that were printed stand, with their exit codes', async () => {
  const made = await stoppedWhilePrinting(home, reservingAs('off_2', 'T-2'), 'SIGINT')
  expect(made.exit).toBe(0)
  expect(documentOf(made)).toMatchObject({outcome: 'confirmed'})
  for (const times of [1, 2]) {
    const refused = await stoppedWhilePrinting(home, reservingAs('off_3', 'T-2'), 'SIGTERM', times)
    expect(documentOf(refused)).toMatchObject({error: {code: 'reference_in_use'}, status: 'CONFIRMED'})
    // The third signal would end the process at once; after two, the error is still printed.
    expect(refused.exit).toBe(2)
  }
  service.at(POSTS, refusing(402, 'insufficient_balance'))
  const refused = await stoppedWhilePrinting(home, reservingAs('off_4', 'T-4'), 'SIGHUP')
  expect(refused.exit).toBe(5)
  expect(documentOf(refused).error?.code).toBe('insufficient_balance')
})

test.each([1, 2])(
  '%d signal(s) while the answer is awaited: one document, with the command that finds out',
  async times => {
    const signalled = await home.spawn(reservingAs(`off_wait_${times}`, `W-${times}`), {
      onStart: child => {
        service.at(POSTS, () => {
          for (let n = 0; n < times; n++) child.kill('SIGTERM')
        })
      },
    })
    expect(signalled.exit).toBe(143)
    const {error} = documentOf(signalled)
    expect(error?.code).toBe('terminated')
    expect(error?.hint).toBe(`bookctl reserve --resume W-${times}`)
    expect(signalled.stdout + signalled.stderr).not.toContain('nothing was booked')
  },
)

test('before the journal was read, a signal does not say that nothing was booked', async () => {
  let stop = () => {}
  const port = await ownTcpPort(client => {
    client.on('error', () => {})
    stop()
  })
  const away = ownHome({...service.env, BOOKCTL_STORE: `postgres://ann:secret@127.0.0.1:${port}/x`})
  for (const times of [1, 2]) {
    const stopped = await away.spawn(reservingAs('off_1', 'T-1'), {
      onStart: child => {
        stop = () => {
          for (let n = 0; n < times; n++) child.kill('SIGTERM')
        }
      },
    })
    expect(stopped.exit).toBe(143)
    const {error} = documentOf(stopped)
    expect(error?.message).toContain(
      'nothing was sent by this command; earlier attempts could not be looked up',
    )
    expect(stopped.stdout + stopped.stderr).not.toContain('nothing was booked')
  }
})

test('if the store is unreachable, the error says that earlier attempts cannot be looked up', async () => {
  const away = ownHome({...service.env, BOOKCTL_STORE: 'postgres://ann:secret@127.0.0.1:1/x'})
  const resuming = ['reserve', '--resume', 'T-1', '--json']
  for (const argv of [reservingAs('off_1', 'T-1'), resuming, [...resuming, '--dry-run']]) {
    const refused = await away.run(argv)
    expect(refused.exit).toBe(7)
    expect(documentOf(refused).error?.message).toContain('earlier attempts cannot be looked up')
  }
})
