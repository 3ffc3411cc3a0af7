/** `bookctl webhooks listen` as a process of its own. */
import type {ChildProcess} from 'node:child_process'
import type {Finished, Home, RunOptions} from './bookctl.js'
import {startSubscriber} from './subscriber.js'
import {SECRET} from './webhook-load.js'

/** A line of `listen --json`. */
interface ListenLine {
  readonly type: string
  readonly [key: string]: unknown
}

export interface ListenProcess {
  readonly url: string
  readonly port: number
  readonly child: ChildProcess
  /** What was printed so far, without the ready line. */
  readonly lines: ListenLine[]
  /** When it ended. */
  readonly ended: Promise<Finished>
  /** Sends `signal` and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Finished>
}

/** Starts it in `home` with `--json` and waits for "ready". Rejects with what it said when it ends before. */
export async function startListening(
  home: Home,
  argv: readonly string[] = [],
  options: RunOptions = {},
): Promise<ListenProcess> {
  let child: ChildProcess | undefined
  let rest = ''
  const lines: ListenLine[] = []
  let isReady = (_: ListenLine) => {}
  const ready = new Promise<ListenLine>(resolve => {
    isReady = resolve
  })
  const ended = home.run(['webhooks', 'listen', '--json', ...argv], {
    limitMilliseconds: null,
    ...options,
    env: {BOOKCTL_WEBHOOK_SECRET: SECRET, ...options.env},
    onStart: started => {
      child = started
      started.stdout?.on('data', piece => {
        const parts = `${rest}${piece}`.split('\n')
        rest = parts.pop() ?? ''
        for (const line of parts.map(part => JSON.parse(part) as ListenLine)) {
          if (line.type === 'ready') isReady(line)
          else lines.push(line)
        }
      })
    },
  })
  const early = ended.then(({exit, stdout, stderr}) => {
    throw new Error(`listen ended with ${exit} before it was ready: ${stdout}${stderr}`)
  })
  const {url} = (await Promise.race([ready, early])) as unknown as {url: string}
  early.catch(() => {})
  if (!child) throw new Error('it did not start')
  const started = child
  return {
    ...{url, port: Number(new URL(url).port), child, lines, ended},
    stop(signal = 'SIGTERM') {
      started.kill(signal)
      return ended
    },
  }
}

export interface ForwardTarget {
  readonly url: string
  readonly port: number
  /** Values of the event id header, in the order they came. */
  readonly got: readonly string[]
  close(): Promise<void>
}

/** An address to forward to. It answers `status`, or never if that is 'hang'. */
export async function startTarget(status: number | 'hang', port = 0): Promise<ForwardTarget> {
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
