/** Stopped before the first byte: the user learns that nothing was sent, and resuming makes nothing. */
import {afterAll, beforeEach, expect, test} from 'vitest'
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
const posted = () => service.seen('/reservations/hotel').length

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

test.each([
  ['SIGINT', 130, 'interrupted'],
  ['SIGTERM', 143, 'terminated'],
] as const)(
  '%s while the token is fetched says that nothing was sent, and that is so',
  async (signal, exit, code) => {
    const told = await endAt('/oauth/token', reserving().argv, signal)
    expect(told).toMatchObject({exit, stdout: ''})
    expect(told.stderr).toContain(`Stopped before it ended: ${NOTHING}`)
    expect(told.stderr).not.toContain('--resume')
    const {argv, reference} = reserving()
    const ended = await endAt('/oauth/token', [...argv, '--json'], signal)
    const message = `stopped by ${signal} before it ended: ${NOTHING}`
    const error = {code, message, hint: 'to book, run the command again'}
    expect({exit: ended.exit, ...JSON.parse(ended.stdout)}).toEqual({exit, error})

    for (const form of [['--quiet'], ['--dry-run'], ['--wait=1']]) {
      const resumed = await home.run(['reserve', '--resume', reference, ...form])
      expect(resumed).toMatchObject({exit: 2, stdout: ''})
      expect(resumed.stderr).toContain(`nothing was ever sent for the client reference ${reference}`)
      expect(resumed.stderr).not.toContain('--resume T-')
    }
    const known = {outcome: 'not_sent', attempts: 0}
    const result = {...known, error: {code: 'never_sent'}, reservation: null}
    expect(await home.json(['reserve', '--resume', reference])).toMatchObject({exit: 2, result})
    const {entries} = (await home.json<{entries: object[]}>(['journal'])).result
    const entry = {...known, client_reference_id: reference}
    expect(entries).toContainEqual(expect.objectContaining(entry))
    expect(posted()).toBe(0)
    const made = await home.json([...argv, '--yes'])
    expect(made).toMatchObject({exit: 0, result: {outcome: 'confirmed', attempts: 1}})
    expect(posted()).toBe(1)
  },
)
