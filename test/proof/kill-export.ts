/** `webhooks events export --file` is killed: the capture is whole, or is not there, and nothing lies beside it. */
import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {CRASH_POINTS} from './crash-points.js'
import {changeState, checkDatabases, checkNoTemporaryFiles} from './kill-checks.js'
import type {Lane} from './kill-lane.js'
import {runAgain} from './kill-run.js'
import {ofOneCommand, type Scene, type Subject} from './kill-scene.js'

/** More than a page of the store. */
const EVENTS = 600

async function openScene(lane: Lane): Promise<Scene> {
  const {home, proxy} = await lane.openHome()
  const path = join(home.directory, 'events.ndjson')
  await changeState(home, state =>
    state.events.receive(
      {profile: 'default', owner: ''},
      Array.from({length: EVENTS}, (_, n) => ({
        ...{eventId: `evt_${n}`, type: 'voucher.ready', receivedAt: Date.now() / 1000, secretName: 'one'},
        ...{rawHeaders: ['content-type', 'application/json'], targets: []},
        body: Buffer.from(JSON.stringify({id: `evt_${n}`, type: 'voucher.ready'})),
      })),
    ),
  )
  const argv = ['webhooks', 'events', 'export', '--file', 'events.ndjson']
  /** How many records there are; undefined without a file. */
  const records = () =>
    existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1).length : undefined
  const checkWhole = () => {
    const count = records()
    return count === undefined || count === EVENTS ? [] : [`the capture has ${count} records`]
  }
  return {
    ...ofOneCommand({home, argv, proxy}),
    afterDeath: () => [...checkDatabases(home), ...checkWhole()],
    async again() {
      const isThere = existsSync(path)
      const {exit, wrong} = await runAgain(home, argv)
      if (exit !== (isThere ? 2 : 0)) wrong.push(`again it ends with ${exit}`)
      if (records() !== EVENTS) wrong.push(`again the capture has ${records()} records`)
      return [...wrong, ...checkNoTemporaryFiles(home)]
    },
  }
}

export const EXPORT: Subject = {
  ...{name: 'webhooks events export', points: CRASH_POINTS['webhooks events export'], randomKills: 40},
  open: openScene,
}
