import {startTarget} from '../../support/listening.js'
import {PATIENCE_SECONDS, waitUntil} from '../../support/wait.js'
import {load, SECRET, signedEvent} from '../../support/webhook-load.js'
import {Home} from '../scene.js'
import {
  checkDatabases,
  checkNoTemporaryFiles,
  type Death,
  deadlyEnv,
  look,
  type Point,
  type Subject,
  type Trial,
} from './trial.js'

type Ready = Record<string, string>

const serve = (home: Home, argv: readonly string[], death: Death = {kind: 'never'}) =>
  home.serve(argv, {env: deadlyEnv(death), limitMilliseconds: 2 * PATIENCE_SECONDS * 1000})

/** A death at random comes so soon after it is ready. */
const WITHIN_MILLISECONDS = 250

interface ServerTrial {
  readonly home: Home
  readonly argv: readonly string[]
  /** What is asked of the one that dies. */
  readonly use: (ready: Ready, death: Death) => Promise<unknown>
  readonly afterDeath?: () => Promise<string[]> | string[]
  /** What is wrong with the next one, while it runs. */
  readonly again: (ready: Ready) => Promise<string[]>
  /** What is wrong after the next one has ended. */
  readonly after?: () => Promise<string[]> | string[]
  readonly close?: () => Promise<void>
}

function server(
  name: string,
  randomKills: number,
  open: () => Promise<ServerTrial>,
  points: readonly Point[],
): Subject {
  return {
    ...{name, randomKills, points},
    async open(): Promise<Trial> {
      const {home, argv, use, again, ...trial} = await open()
      return {
        async die(death) {
          const {child, ended, ready} = serve(home, argv, death)
          const line = await ready
          if (line === undefined) return ended
          const isRandom = death.kind === 'time'
          const after = isRandom ? death.milliseconds % WITHIN_MILLISECONDS : 0
          const timer = isRandom && setTimeout(() => child.kill('SIGKILL'), after)
          // Its death ends the work, too.
          await Promise.race([use(line, death).catch(() => undefined), ended])
          if (timer) clearTimeout(timer)
          child.kill(isRandom ? 'SIGKILL' : 'SIGTERM')
          const finished = await ended
          return finished.exit === 143 ? {...finished, exit: 0} : finished
        },
        afterDeath: async () => [...checkDatabases(home), ...((await trial.afterDeath?.()) ?? [])],
        async again() {
          const {child, ended, ready} = serve(home, argv)
          const line = await ready
          if (line === undefined) return [`again it does not start: ${(await ended).stderr}`]
          const wrong = await again(line)
          child.kill('SIGTERM')
          const {exit} = await ended
          if (exit !== 143) wrong.push(`again it ends with ${exit}`)
          wrong.push(...((await trial.after?.()) ?? []))
          return [...wrong, ...checkDatabases(home), ...checkNoTemporaryFiles(home)]
        },
        async close() {
          await trial.close?.()
          home.remove()
        },
      }
    },
  }
}

const at = (label: string, whens: readonly Point['when'][], ...nths: number[]): Point[] =>
  whens.flatMap(when => nths.map(nth => ({label, when, nth})))

const AROUND = ['before', 'after'] as const
const EVERY = ['before', 'half', 'after'] as const

/** What was answered 200 is kept, once, and forwarded at least once. */
async function listen(isForwarding: boolean): Promise<ServerTrial> {
  const home = new Home({BOOKCTL_WEBHOOK_SECRET: SECRET})
  const target = isForwarding ? await startTarget(200) : undefined
  const sent: string[] = []
  const answered = new Set<string>()
  const send = async ({url = ''}: Ready, nextId: () => string | undefined) => {
    const next = () => {
      const id = nextId()
      return id === undefined ? undefined : signedEvent(id, {pad: 20})
    }
    const {answers} = await load({port: Number(new URL(url).port), connections: 4, next})
    for (const {id, status} of answers) if (status === 200) answered.add(id)
  }
  const checkKept = async () => {
    const kept = await look(home, state => state.events.page({}, {after: 0}, 100_000))
    const ids = new Set(kept.map(({eventId}) => eventId))
    const missing = [...answered].filter(id => !ids.has(id))
    return [
      ...(ids.size === kept.length ? [] : ['an event is kept twice']),
      ...(missing.length === 0 ? [] : [`answered 200 and not kept: ${missing.join(' ')}`]),
    ]
  }
  const notForwarded = () => [...answered].filter(id => target && !target.got.includes(id))
  return {
    home,
    argv: ['webhooks', 'listen', ...(target ? ['--forward-to', target.url] : [])],
    use: (ready, death) =>
      send(ready, () => {
        if (sent.length === (death.kind === 'never' ? 20 : 400)) return undefined
        sent.push(`evt_${sent.length}`)
        return sent.at(-1)
      }),
    afterDeath: checkKept,
    async again(ready) {
      const unanswered = sent.filter(id => !answered.has(id))
      await send(ready, () => unanswered.shift())
      const wrong = sent.filter(id => !answered.has(id)).map(id => `again ${id} was not answered 200`)
      await waitUntil(() => notForwarded().length === 0, 'forwards').catch(() =>
        wrong.push(`answered 200 and not forwarded: ${notForwarded().join(' ')}`),
      )
      return wrong
    },
    after: checkKept,
    close: async () => target?.close(),
  }
}

const LISTEN: readonly Point[] = [
  ...at('^sql COMMIT INSERT INTO events', AROUND, 1, 3),
  ...at('^net send HTTP/1.1 200', EVERY, 1),
  ...at('^out$', EVERY, 2),
]
const FORWARD: readonly Point[] = [
  ...at('^net send POST /hooks', EVERY, 1),
  ...at('^net send \\{"id"', ['half'], 1),
  ...at('^sql COMMIT UPDATE forwards', AROUND, 1),
]

export const RECEIVERS: readonly Subject[] = [
  server('webhooks listen', 160, () => listen(false), LISTEN),
  server('webhooks listen --forward-to', 120, () => listen(true), [...LISTEN, ...FORWARD]),
]
