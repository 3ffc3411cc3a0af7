/** The same booking with another credential is never made twice. The existing reservation is shown or named. */
import {beforeEach, expect, test} from 'vitest'
import {ownHome} from '../support/own.js'
import {reserving} from '../support/stay.js'
import {scriptedHome} from './scripted-home.js'

const {service} = await scriptedHome()
beforeEach(() => {
  service.reservations.length = 0
})

const POSTS = '/reservations/hotel'

/** The environment for each way to sign in, by the name that messages use. */
function credentials() {
  const {BOOKCTL_CLIENT_ID, BOOKCTL_CLIENT_SECRET} = service.env as Record<string, string>
  service.liveTokens.add('canary-token')
  const none = {BOOKCTL_CLIENT_ID: '', BOOKCTL_CLIENT_SECRET: '', BOOKCTL_TOKEN: ''}
  return {
    secret: {...none, BOOKCTL_CLIENT_ID, BOOKCTL_CLIENT_SECRET},
    token: {...none, BOOKCTL_TOKEN: 'canary-token'},
    another: {...none, BOOKCTL_CLIENT_ID: 'cid_another', BOOKCTL_CLIENT_SECRET},
  } as Record<'secret' | 'token' | 'another', Record<string, string>>
}

const NAMES = {secret: 'the client cid_foreign', token: 'BOOKCTL_TOKEN', another: 'the client cid_another'}
const PAIRS = [
  ['token', 'secret'],
  ['secret', 'token'],
  ['secret', 'another'],
] as const

test.each(PAIRS)(
  'an attempt with the %s that is not resolved stops the %s, with how to go on',
  async (first, second) => {
    const {[first]: earlier, [second]: later} = credentials()
    const home = ownHome(service.env)
    service.at(POSTS, (request, response) => {
      service.commit(request)
      response.destroy()
    })
    const lost = await home.json(reserving('off_1', '--client-reference', 'T-1', '--timeout', '2'), {
      env: earlier,
    })
    expect(lost.exit).toBe(10)
    service.script = () => false
    const before = service.seen(POSTS).length
    const resume = ['reserve', '--resume', 'T-1'] as const
    for (const argv of [
      reserving('off_1', '--client-reference', 'T-1'),
      reserving('off_1', '--client-reference', 'T-2'),
      reserving('off_2', '--client-reference', 'T-1'),
      reserving('off_1'),
      resume,
      [...resume, '--dry-run'],
    ]) {
      const {exit, result} = await home.json<{error: Record<string, string>}>(argv, {env: later})
      expect(exit, argv.join(' ')).toBe(2)
      const {code, message, hint} = result.error
      expect(code).toBe('other_credential')
      for (const named of ['off_1', 'T-1', 'unknown', NAMES[first]]) expect(message).toContain(named)
      expect(hint).toContain('bookctl reserve --resume T-1')
      expect(result).toMatchObject({outcome: 'unknown', reservation_ref: null, client_reference_id: 'T-1'})
    }
    expect(service.seen(POSTS)).toHaveLength(before)
    const found = await home.json(resume, {
      env: {...earlier, BOOKCTL_SCOPES: 'reservations:write hotels:read'},
    })
    expect(found).toMatchObject({exit: 0, result: {outcome: 'confirmed'}})
    expect(service.reservations).toHaveLength(1)
    const shown = await home.json(resume, {env: later})
    expect(shown).toMatchObject({exit: 0, result: {reservation_ref: found.result.reservation_ref}})
    expect(service.reservations).toHaveLength(1)
  },
)
