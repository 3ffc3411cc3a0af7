/** Many processes in need of a token (§5.6, §5.7): one of them asks, and what it learns holds for all who waited. */
import type {ChildProcess} from 'node:child_process'
import {join} from 'node:path'
import {tokenClientOf} from '../../src/api/auth/token-request.js'
import {openState} from '../../src/state/state.js'
import {waitUntil} from '../support/wait.js'
import type {WireFault} from '../support/wire.js'
import {replyBytes} from '../support/wire.js'
import {wrongEnds} from './race-crowd.js'
import type {Race, Scene} from './race-scene.js'

const ACCOUNT = ['account', '--json', '--timeout', '60']
const TOKEN = '/oauth/token'

function tokenRequests(scene: Scene, most: number): string[] {
  const {length} = scene.sent('POST', TOKEN)
  return length >= 1 && length <= most ? [] : [`${length} token requests`]
}

async function allAsk(scene: Scene, most: number, options = {}): Promise<string[]> {
  const finished = await scene.crowd(
    scene.each(() => ACCOUNT),
    options,
  )
  return [...wrongEnds(finished, [0]), ...tokenRequests(scene, most)]
}

/** The token requests are answered with this status, and nothing of them reaches the sandbox. */
function refusing(status: number, code: string): WireFault {
  const body = Buffer.from(JSON.stringify({error: {code, message: 'no'}}))
  const headers = {'content-type': 'application/json'}
  return {forwards: false, play: () => [replyBytes({status, headers, body})]}
}

/** They all fail with one `exit` after the requests of one process. */
async function allFail(scene: Scene, fault: WireFault, exit: number, most: number): Promise<string[]> {
  scene.proxy.strike = {fault, method: 'POST', path: /\/oauth\/token$/}
  const at = join(scene.home.configDirectory, 'locks')
  // At the lock: who comes to it has begun to wait before anything was asked.
  const finished = await scene.crowd(
    scene.each(() => ACCOUNT),
    {at},
  )
  scene.proxy.strike = undefined
  const [once] = await scene.crowd([ACCOUNT])
  return [
    ...wrongEnds(finished, [exit]),
    ...tokenRequests(scene, most + 1),
    ...(once?.exit === 0 ? [] : [`once it works again, exit ${once?.exit}`]),
  ]
}

export const TOKEN_RACES: readonly Race[] = [
  {name: 'tokens: none yet', run: scene => allAsk(scene, 1)},
  {
    name: 'tokens: expired',
    run(scene) {
      const state = openState(scene.home.configDirectory)
      const whose = {clientId: 'cid_sandbox', clientSecret: 'sk_test_sandbox'}
      const obtainedAt = Date.now() / 1000 - 7300
      const scopes = ['account:read']
      const times = {obtainedAt, expiresAt: obtainedAt + 7200}
      const token = {access_token: 'expired', scopes, askedScopes: scopes, ...times}
      state.tokens.put(tokenClientOf(scene.baseUrl, whose), token)
      state.close()
      return allAsk(scene, 1)
    },
  },
  {
    name: 'tokens: revoked meanwhile',
    async run(scene) {
      await scene.home.run(ACCOUNT)
      const state = openState(scene.home.configDirectory)
      const [kept] = state.tokens.listAll()
      state.close()
      await scene.revoke(kept?.token.access_token ?? '')
      scene.proxy.requests.length = 0
      const wrong = await allAsk(scene, 1)
      const calls = scene.sent('GET', '/account').length
      return calls <= 2 * scene.count ? wrong : [...wrong, `${calls} calls`]
    },
  },
  {
    name: 'tokens: the one that asks is killed',
    async run(scene) {
      let isAsked = false
      const hold: WireFault = {
        forwards: false,
        *play() {
          isAsked = true
          scene.proxy.strike = undefined
          yield 'hang'
        },
      }
      scene.proxy.strike = {fault: hold, method: 'POST', path: /\/oauth\/token$/}
      let asker: ChildProcess | undefined
      const first = scene.home.run(ACCOUNT, {
        onStart: child => {
          asker = child
        },
      })
      await waitUntil(() => isAsked, 'the first token request')
      const wrong = await allAsk(scene, 2, {onGo: () => asker?.kill('SIGKILL')})
      const {exit} = await first
      return exit === 'SIGKILL' ? wrong : [...wrong, `the first ended with ${exit}`]
    },
  },
  {
    name: 'tokens: the service is down',
    run: scene => allFail(scene, refusing(503, 'service_unavailable'), 6, 4),
  },
  {
    name: 'tokens: the secret is wrong',
    run: scene => allFail(scene, refusing(401, 'invalid_client'), 4, 1),
  },
  {
    name: 'tokens: the connection is cut',
    run: scene => allFail(scene, {forwards: false, play: () => ['reset']}, 7, 4),
  },
]
