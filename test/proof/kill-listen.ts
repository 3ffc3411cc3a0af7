/** `webhooks listen` is killed under load: what it answered 200 is kept, once, and handed on at least once. */
import {Home} from '../support/bookctl.js'
import {startTarget} from '../support/listening.js'
import {waitUntil} from '../support/wait.js'
import {load, SECRET, signedEvent} from '../support/webhook-load.js'
import {CRASH_POINTS} from './crash-points.js'
import {checkDatabases, checkNoTemporaryFiles, withState} from './kill-checks.js'
import type {Scene, Subject} from './kill-scene.js'
import {serve, serveToDeath} from './kill-server.js'

const CONNECTIONS = 4
/** So many are sent to one that nobody kills, and at most so many to one that is to die. */
const FEW = 20
const MOST = 400

async function openScene(isForwarding: boolean): Promise<Scene> {
  const home = new Home({BOOKCTL_WEBHOOK_SECRET: SECRET})
  const target = isForwarding ? await startTarget(200) : undefined
  const argv = ['webhooks', 'listen', ...(target ? ['--forward-to', target.url] : [])]
  const sent: string[] = []
  const answered = new Set<string>()
  const send = async (url: string | undefined, nextId: () => string | undefined) => {
    const next = () => {
      const id = nextId()
      return id === undefined ? undefined : signedEvent(id, {pad: 20})
    }
    const {answers} = await load({port: Number(new URL(url ?? '').port), connections: CONNECTIONS, next})
    for (const {id, status} of answers) if (status === 200) answered.add(id)
  }
  const newId = (most: number) => () => {
    if (sent.length === most) return undefined
    sent.push(`evt_${sent.length}`)
    return sent.at(-1)
  }
  const checkKept = async () => {
    const kept = await withState(home, state => state.events.page({}, {after: 0}, 100_000))
    const ids = new Set(kept.map(({eventId}) => eventId))
    const missing = [...answered].filter(id => !ids.has(id))
    return [
      ...(ids.size === kept.length ? [] : ['an event is kept twice']),
      ...(missing.length === 0 ? [] : [`answered 200 and not kept: ${missing.join(' ')}`]),
    ]
  }
  const notHandedOn = () => [...answered].filter(id => target && !target.got.includes(id))
  return {
    die: death =>
      serveToDeath(serve(home, argv, death), death, ({url}) =>
        send(url, newId(death.kind === 'never' ? FEW : MOST)),
      ),
    afterDeath: async () => [...checkDatabases(home), ...(await checkKept())],
    async again() {
      const {child, ended, ready} = serve(home, argv)
      const line = await ready
      if (line === undefined) return [`again it does not start: ${(await ended).stderr}`]
      const waiting = sent.filter(id => !answered.has(id))
      await send(line.url, () => waiting.shift())
      const wrong = sent.filter(id => !answered.has(id)).map(id => `again ${id} was not answered 200`)
      await waitUntil(() => notHandedOn().length === 0, 'hand-overs').catch(() =>
        wrong.push(`answered 200 and not handed on: ${notHandedOn().join(' ')}`),
      )
      child.kill('SIGTERM')
      const {exit} = await ended
      if (exit !== 143) wrong.push(`again it ends with ${exit}`)
      return [...wrong, ...checkDatabases(home), ...(await checkKept()), ...checkNoTemporaryFiles(home)]
    },
    async close() {
      await target?.close()
      home.remove()
    },
  }
}

export const LISTEN: readonly Subject[] = [
  {
    ...{name: 'webhooks listen', points: CRASH_POINTS['webhooks listen'], randomKills: 160, hasThreads: true},
    open: () => openScene(false),
  },
  {
    ...{name: 'webhooks listen --forward-to', points: CRASH_POINTS['webhooks listen --forward-to']},
    ...{randomKills: 120, hasThreads: true},
    open: () => openScene(true),
  },
]
