/** The local sandbox is killed while it is reset: all that was there is there, or nothing of it is. */
import {randomUUID} from 'node:crypto'
import {Home} from '../support/bookctl.js'
import {connectTo, reservationRequest, type SandboxClient} from '../support/sandbox.js'
import {CRASH_POINTS} from './crash-points.js'
import {checkDatabases} from './kill-checks.js'
import type {Scene, Subject} from './kill-scene.js'
import {serve, serveToDeath} from './kill-server.js'

const ARGV = ['sandbox', 'start']

async function openScene(): Promise<Scene> {
  const home = new Home()
  const look = async (client: SandboxClient) => {
    const {json: listed} = await client.call('GET', '/reservations?limit=100')
    const {json: account} = await client.call('GET', '/account')
    return `${listed.data.length} reservations and ${account.data.balance}`
  }
  const first = serve(home, ARGV)
  const client = await connectTo((await first.ready)?.origin ?? '')
  const atTheBeginning = await look(client)
  const [offer] = await client.search({check_in: '2030-06-01', check_out: '2030-06-02'})
  await client.reserve(reservationRequest(offer.offer_id), randomUUID())
  const booked = await look(client)
  first.child.kill('SIGTERM')
  await first.ended
  const reset = (origin: string) => fetch(`${origin}/_sandbox/reset`, {method: 'POST'})
  return {
    die: death => serveToDeath(serve(home, ARGV, death), death, ({origin = ''}) => reset(origin)),
    afterDeath: () => checkDatabases(home),
    async again() {
      const {ready, child, ended} = serve(home, ARGV)
      const origin = (await ready)?.origin
      if (origin === undefined) return [`again it does not start: ${(await ended).stderr}`]
      const found = await look(await connectTo(origin))
      const wrong = [booked, atTheBeginning].includes(found) ? [] : [`after its death there are ${found}`]
      await reset(origin)
      const left = await look(await connectTo(origin))
      if (left !== atTheBeginning || booked === atTheBeginning) wrong.push(`again there are ${left}`)
      child.kill('SIGTERM')
      await ended
      return [...wrong, ...checkDatabases(home)]
    },
    close: async () => home.remove(),
  }
}

export const RESET: Subject = {
  ...{name: 'sandbox reset', points: CRASH_POINTS['sandbox reset'], randomKills: 20},
  open: openScene,
}
