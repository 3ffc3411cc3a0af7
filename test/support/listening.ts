/** `bookctl webhooks listen` in a process of its own. */
import type {Home, RunOptions} from './bookctl.js'
import {startSubscriber} from './subscriber.js'
import {SECRET} from './webhook-load.js'

export type ListenProcess = Awaited<ReturnType<typeof startListening>>

/** Starts the receiver in `home` with `--json` and waits for "ready". Rejects with its output if it ends before. */
export async function startListening(home: Home, argv: readonly string[] = [], options: RunOptions = {}) {
  const env = {BOOKCTL_WEBHOOK_SECRET: SECRET, ...options.env}
  const serving = home.serve(['webhooks', 'listen', ...argv], {...options, env})
  const {url = ''} = await serving.started()
  return {...serving, url, port: Number(new URL(url).port)}
}

export type ForwardTarget = Awaited<ReturnType<typeof startTarget>>

/** Starts a server to forward events to. It answers with `status`, or never if that is 'hang'. */
export async function startTarget(status: number | 'hang', port = 0) {
  /** Values of the event id header, in order of arrival. */
  const got: string[] = []
  const {origin, ...subscriber} = await startSubscriber(
    (answer, {headers}) => {
      got.push(String(headers['x-service-event-id']))
      if (status !== 'hang') answer.writeHead(status).end()
    },
    undefined,
    port,
  )
  return {url: `${origin}/hooks`, port: subscriber.port, got, close: subscriber.close}
}
