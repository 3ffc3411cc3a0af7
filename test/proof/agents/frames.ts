/** Frames: huge, cut, nested, of another protocol, or a thousand at once. The server answers what it can, or ends; nothing is booked. */
import {readFileSync} from 'node:fs'
import type {Bench} from '../shared/bench.js'
import type {Cell} from '../shared/part.js'
import {reservationsAt, shown} from '../shared/scene.js'
import type {Agent} from './agent.js'
import {findOffers, judge, must, openAgents, prepare, unlike} from './scene.js'

const frame = (message: object) => `${JSON.stringify({jsonrpc: '2.0', ...message})}\n`
const reserving = (handle: string, id: unknown) =>
  frame({id, method: 'tools/call', params: {name: 'reserve', arguments: {handle}}})

const MEGABYTE = 1024 * 1024

/** Frames that ask for nothing, or for what no server does. A server may end at one of them. */
const NOISE: Readonly<Record<string, (handle: string) => string | Buffer>> = {
  'no JSON': () => 'reserve please\n{"jsonrpc"\n\n\r\n[]\nnull\n7\n"x"\n',
  'bytes that are not text': () => Buffer.from([0xff, 0xfe, 0, 0x80, 0x0a]),
  'a line of a megabyte': () => `${'x'.repeat(MEGABYTE)}\n`,
  'an argument of a megabyte': handle => reserving(handle + 'x'.repeat(MEGABYTE), 901),
  'a line that never ends': () => 'x'.repeat(40 * MEGABYTE),
  'a deep frame': () =>
    `{"jsonrpc":"2.0","id":902,"method":"tools/call","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`,
  'deep arguments': handle =>
    `{"jsonrpc":"2.0","id":903,"method":"tools/call","params":{"name":"reserve","arguments":{"handle":"${handle}x","a":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}}}\n`,
  'a batch': handle => `[${reserving(`${handle}x`, 904).trim()},${reserving(`${handle}x`, 905).trim()}]\n`,
  'unknown methods': () =>
    [
      'tools/delete',
      'resources/subscribe',
      'sampling/createMessage',
      'completion/complete',
      'logging/setLevel',
      '__proto__',
    ]
      .map((method, n) => frame({id: 910 + n, method, params: {}}))
      .join(''),
  'tools that are not listed': () =>
    ['Reserve', 'reserve ', 'shell', 'constructor', '__proto__', 'toString', '']
      .map((name, n) => frame({id: 920 + n, method: 'tools/call', params: {name, arguments: {}}}))
      .join(''),
  'ids of every type': handle =>
    [null, {}, [], true, 1.5, -1, '', 'x'.repeat(10_000)].map(id => reserving(`${handle}x`, id)).join(''),
  'answers that nobody asked for': () =>
    [1, 2, 'x'].map(id => frame({id, result: {action: 'accept', content: {}}})).join(''),
  'names of prototypes': handle =>
    `{"jsonrpc":"2.0","id":906,"method":"tools/call","params":{"name":"reserve","arguments":{"handle":"${handle}x","__proto__":{"confirm":true},"constructor":{"prototype":{"handle":"x"}}}}}\n`,
  'a thousand notifications': () =>
    Array.from({length: 1000}, (_, n) =>
      frame({method: 'notifications/cancelled', params: {requestId: n}}),
    ).join(''),
  'another handshake': () =>
    frame({
      id: 907,
      method: 'initialize',
      params: {
        protocolVersion: '1999-01-01',
        capabilities: {},
        clientInfo: {name: 'x'.repeat(100_000), version: ''},
      },
    }),
}

/** Resolves when the server answers a request, or has ended. */
async function isAlive(agent: Agent): Promise<boolean> {
  return (await agent.request('tools/list')) !== undefined
}

function noise(name: string): Cell<Bench> {
  return {
    name: `frame: ${name}`,
    group: 'frames',
    isSample: name === 'a deep frame',
    async run(bench, _, own) {
      const scene = await openAgents(own, bench)
      const agent = await scene.agent()
      const [offer] = await findOffers(agent, 1)
      const handle = await prepare(agent, offer?.offer_id ?? '')
      agent.write(NOISE[name]?.(handle) ?? '')
      agent.write('\n')
      const wrong: string[] = []
      if (!(await isAlive(agent))) {
        const ended = await agent.ended
        if (typeof ended.exit !== 'number') wrong.push('the server crashed', shown(ended))
        if (/ at .*:\d+:\d+/.test(ended.stderr)) wrong.push('a stack trace', shown(ended))
      }
      if (reservationsAt(scene.wire).length > 0) wrong.push('something was sent to be reserved')
      const next = await scene.agent()
      wrong.push(...unlike(await next.call('reserve', {handle}), undefined, 'reserve afterwards'))
      return [...wrong, ...(await judge(scene))]
    },
  }
}

/** A call whose input ends: in the middle of the frame nothing happens, at its end the call is carried out once. */
const cut: Cell<Bench> = {
  name: 'frame: a call that is cut anywhere, and then the input ends',
  group: 'frames',
  async run(bench, _, own) {
    const wrong: string[] = []
    const whole = reserving('hdl_00000000000000000000000000', 900).length
    for (let part = 1; part <= whole; part += 12) {
      const scene = await openAgents(own, bench)
      const agent = await scene.agent()
      const [offer] = await findOffers(agent, 1)
      const handle = await prepare(agent, offer?.offer_id ?? '')
      agent.write(reserving(handle, 900).slice(0, part))
      const {exit} = await agent.close()
      if (exit !== 0) wrong.push(`cut after ${part}: ends with ${exit}`)
      if (reservationsAt(scene.wire).length > 0) wrong.push(`cut after ${part}: it was sent`)
      wrong.push(...(await judge(scene)))
    }
    return {count: Math.ceil(whole / 12), wrong}
  },
}

const ended: Cell<Bench> = {
  name: 'frame: the input ends right after a call',
  group: 'frames',
  async run(bench, _, own) {
    const scene = await openAgents(own, bench, 'files', {latencyMilliseconds: 300})
    const agent = await scene.agent({
      flags: ['--allow', 'reserve', '--max-total', '9000 EUR', '--max-each', '9000 EUR', '--consent', 'none'],
    })
    const [offer] = await findOffers(agent, 1)
    const handle = await prepare(agent, offer?.offer_id ?? '')
    agent.write(reserving(handle, 900))
    const {exit} = await agent.close()
    const wrong = exit === 0 ? [] : [`ends with ${exit}`]
    const next = await scene.agent()
    wrong.push(...unlike(await next.call('reserve', {handle}), undefined, 'reserve afterwards'))
    return [...wrong, ...(await judge(scene))]
  },
}

const MOST_MEGABYTES = 160

const calls: Cell<Bench> = {
  name: 'frame: ten thousand calls, and the memory afterwards',
  group: 'frames',
  async run(bench, _, own) {
    const scene = await openAgents(own, bench)
    const agent = await scene.agent()
    const [offer] = await findOffers(agent, 1)
    const tools = ['show_offer', 'account', 'list_reservations', 'reserve', 'recent_events']
    for (let n = 0; n < 10_000; n += 50) {
      const many = Array.from({length: 50}, (_, m) =>
        agent.call(tools[(n + m) % tools.length] ?? '', m % 5 === 0 ? {offer_id: offer?.offer_id} : {}),
      )
      for (const called of await Promise.all(many)) must(called)
    }
    const status = readFileSync(`/proc/${agent.pid}/status`, 'utf8')
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
    const wrong = kilobytes / 1024 < MOST_MEGABYTES ? [] : [`${Math.round(kilobytes / 1024)} MB are resident`]
    return [...wrong, ...(await judge(scene))]
  },
}

export const FRAMES: readonly Cell<Bench>[] = [...Object.keys(NOISE).map(noise), cut, ended, calls]
