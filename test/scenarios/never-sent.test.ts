/** Stopped before the first byte: the user learns that nothing was sent, and resuming makes nothing. */
import {afterAll, beforeEach, describe, expect, test} from 'vitest'
import type {Home} from '../support/bookctl.js'
import {ownHome} from '../support/own.js'
import {ScriptedService} from '../support/scripted-service.js'
import {GUESTS} from '../support/stay.js'

const service = await ScriptedService.start()
let home: Home
afterAll(() => service.close())
/** With a home of its own, so that no token is kept. */
beforeEach(() => {
  service.script = () => false
  service.forget()
  home = ownHome(service.env)
})

const NOTHING = 'nothing was sent to reserve, nothing was booked'
const POSTS = '/reservations/hotel'
const posted = () => service.seen(POSTS).length

let count = 0
function reserving() {
  const reference = `T-${++count}`
  const argv = ['reserve', `off_${count}`, '--client-reference', reference, '--pay', 'account']
  return {reference, argv: [...argv, '--nationality', 'TR', ...GUESTS]}
}

/** Runs it until a request comes to `path`, which is never answered, and ends it there with `signal`. */
async function endAt(path: string, argv: readonly string[], signal: NodeJS.Signals) {
  let stop: (() => void) | undefined
  service.script = request => {
    if (request.path !== path) return false
    stop?.()
    return true
  }
  const ended = await home.run(argv, {
    onStart: child => {
      stop = () => child.kill(signal)
    },
  })
  service.script = () => false
  return ended
}

const entryOf = async (reference: string) => {
  const {result} = await home.json<{entries: {client_reference_id: string}[]}>(['journal'])
  return result.entries.find(entry => entry.client_reference_id === reference)
}

async function expectNothingMade({reference, argv}: {reference: string; argv: readonly string[]}) {
  for (const form of [['--quiet'], ['--dry-run'], ['--wait=1']]) {
    const resumed = await home.run(['reserve', '--resume', reference, ...form])
    expect(resumed).toMatchObject({exit: 2, stdout: ''})
    expect(resumed.stderr).toContain(`nothing was ever sent for the client reference ${reference}`)
    expect(resumed.stderr).not.toContain('--resume T-')
  }
  const resumed = await home.json(['reserve', '--resume', reference])
  expect(resumed).toMatchObject({
    exit: 2,
    result: {error: {code: 'never_sent'}, outcome: 'not_sent', reservation: null, attempts: 0},
  })
  expect(await entryOf(reference)).toMatchObject({outcome: 'not_sent', attempts: 0, reservation_ref: null})
  expect(posted()).toBe(0)
  const made = await home.json([...argv, '--yes'])
  expect(made).toMatchObject({exit: 0, result: {outcome: 'confirmed', attempts: 1}})
  expect(posted()).toBe(1)
}

describe('while the token is fetched', () => {
  test.each([
    ['SIGINT', 130, 'interrupted'],
    ['SIGTERM', 143, 'terminated'],
  ] as const)('%s says that nothing was sent, and that is so', async (signal, exit, code) => {
    const told = await endAt('/oauth/token', reserving().argv, signal)
    expect(told).toMatchObject({exit, stdout: ''})
    expect(told.stderr).toContain(`Stopped before it ended: ${NOTHING}`)
    expect(told.stderr).not.toContain('--resume')
    const order = reserving()
    const ended = await endAt('/oauth/token', [...order.argv, '--json'], signal)
    expect(ended.exit).toBe(exit)
    expect(JSON.parse(ended.stdout)).toEqual({
      error: {
        code,
        message: `stopped by ${signal} before it ended: ${NOTHING}`,
        hint: 'to book, run the command again',
      },
    })
    await expectNothingMade(order)
  })
})
