/** Processes that stay: receivers that share their file with many readers, and sandboxes that want the same place. */
import type {ChildProcess} from 'node:child_process'
import {join} from 'node:path'
import {startListening, startTarget} from '../support/listening.js'
import {waitUntil} from '../support/wait.js'
import {exchangeRaw, SECRET, signedRequest} from '../support/webhook-load.js'
import {wrongEnds} from './race-crowd.js'
import type {Race, Scene} from './race-scene.js'

/** Sends events to `port` one after the other until told to stop; adds the ids of those that were acknowledged. */
async function send(
  port: number,
  name: string,
  acknowledged: Set<string>,
  isOver: () => boolean,
): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const id = `evt_${name}${n}`
    const body = `{"id":"${id}","type":"reservation.confirmed","data":{"status":"CONFIRMED"}}`
    const answer = await exchangeRaw(port, signedRequest(body, id, {headers: 'Connection: close\r\n'}))
    if (String(answer).startsWith('HTTP/1.1 200')) acknowledged.add(id)
  }
}

/** Two receivers that write one file, senders to both, and many who read it and send again from it. */
async function receivers(scene: Scene): Promise<string[]> {
  const {home} = scene
  Object.assign(home.env, {BOOKCTL_WEBHOOK_SECRET: SECRET})
  const target = await startTarget(200)
  const listeners = await Promise.all([startListening(home), startListening(home)])
  const acknowledged = new Set<string>()
  let isOver = false
  const sending = listeners.map(({port}, n) => send(port, `to${n}x`, acknowledged, () => isOver))
  await waitUntil(() => acknowledged.size >= 20, 'events to begin with')
  const read = [
    ['webhooks', 'events', 'list', '--json'],
    ['webhooks', 'events', 'export', '--file', '-'],
    ['webhooks', 'events', 'replay', 'evt_to0x0', 'evt_to1x0', '--to', target.url],
    ['webhooks', 'events', 'show', 'evt_to0x1', '--json'],
  ]
  const stop = async () => {
    isOver = true
    const ends = await Promise.all(listeners.map(each => each.stop()))
    await target.close()
    return ends.map(({exit}) => exit)
  }
  try {
    const finished = await scene.crowd(scene.each(n => read[n % read.length] ?? []))
    isOver = true
    await Promise.all(sending)
    const list = await home.json<{events: {event_id: string}[]}>(['webhooks', 'events', 'list'])
    const kept = list.result.events.map(({event_id}) => event_id)
    const lost = [...acknowledged].filter(id => !kept.includes(id))
    const replays = scene.each(n => (n % read.length === 2 ? 2 : 0)).reduce((sum: number, n) => sum + n, 0)
    const ends = await stop()
    return [
      ...wrongEnds(finished, [0]),
      ...(lost.length === 0 ? [] : [`${lost.length} of ${acknowledged.size} events are lost`]),
      ...(new Set(kept).size === kept.length ? [] : ['some are kept twice']),
      ...(target.got.length === replays ? [] : [`${target.got.length} were sent again, of ${replays}`]),
      ...(ends.every(exit => exit === 143) ? [] : [`the receivers ended with ${ends}`]),
    ]
  } finally {
    await stop()
  }
}

/** All start a sandbox in the same place: one has it, and the others say that it is taken. */
async function sandboxes(scene: Scene, place: (n: number) => readonly string[]): Promise<string[]> {
  const children: ChildProcess[] = []
  const ready: string[] = []
  let ended = 0
  const onStart = (child: ChildProcess) => {
    children.push(child)
    child.on('close', () => ended++)
    let text = ''
    child.stdout?.on('data', piece => {
      const before = text.includes('\n')
      text += piece
      if (!before && text.startsWith('{"type":"ready"')) ready.push(text)
    })
  }
  const members = scene.each(n => ['sandbox', 'start', '--json', ...place(n)])
  const running = scene.crowd(members, {at: scene.home.directory, onStart})
  try {
    await waitUntil(() => ended + ready.length >= scene.count, 'all to start or to give up')
  } finally {
    for (const child of children) child.kill('SIGTERM')
  }
  const finished = await running
  const lost = finished.filter(({exit}) => exit !== 143)
  return [
    ...(ready.length === 1 ? [] : [`${ready.length} are ready`]),
    ...wrongEnds(lost, [2, 7]),
    ...lost
      .filter(({stdout}) => !/in use|is using/.test(stdout))
      .slice(0, 1)
      .map(({stdout}) => `says ${stdout}`),
  ]
}

export const SERVER_RACES: readonly Race[] = [
  {name: 'servers: receivers, readers and replays', run: receivers},
  {
    name: 'servers: sandboxes on one file',
    run: scene => sandboxes(scene, () => ['--db', join(scene.home.directory, 'one.db'), '--port', '0']),
  },
  {
    name: 'servers: sandboxes on one port',
    async run(scene) {
      const {port} = new URL(scene.proxy.origin)
      // Free again, and nobody else's.
      await scene.proxy.close()
      return sandboxes(scene, n => ['--db', join(scene.home.directory, `${n}.db`), '--port', port])
    },
  },
]
