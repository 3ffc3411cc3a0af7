/** `journal forget` is killed: once it is forgotten, whatever is run next leaves nothing of people. */
import {createHash, randomUUID} from 'node:crypto'
import {CRASH_POINTS} from './crash-points.js'
import {changeState, checkDatabases, checkNoBytes, checkNoTemporaryFiles, withState} from './kill-checks.js'
import {CREDENTIALS, type Lane, newReference} from './kill-lane.js'
import {runAgain, runAnother} from './kill-run.js'
import {ofOneCommand, type Scene, type Subject} from './kill-scene.js'

const PERSON = '10000000146'

async function openScene(lane: Lane): Promise<Scene> {
  const {home, proxy} = await lane.openHome()
  const reference = newReference()
  const client = {baseUrl: home.env.BOOKCTL_BASE_URL ?? '', clientId: CREDENTIALS.BOOKCTL_CLIENT_ID}
  const body = JSON.stringify({offer_id: 'off_1', guests: [{identity: {type: 'TC', number: PERSON}}]})
  const hash = createHash('sha256').update(body).digest('hex')
  await changeState(home, state => {
    const journal = state.journal.forClient(client)
    const {entry} = journal.begin(
      {
        ...{offerId: 'off_1', clientReferenceId: reference, referenceGiven: true},
        ...{idempotencyKey: randomUUID(), keyGiven: false, body, bodySha256: hash, intentSha256: hash},
      },
      Date.now() / 1000,
    )
    journal.attempt(entry.id, Date.now() / 1000)
    journal.settle(entry.id, {outcome: 'unknown'}, Date.now() / 1000)
  })
  const entry = () => withState(home, state => state.journal.list()[0])
  const argv = ['journal', 'forget', reference, '--yes']
  return {
    ...ofOneCommand({home, argv, proxy}),
    async afterDeath() {
      const kept = await entry()
      const isOne =
        kept?.outcome === 'unknown' ? kept.body === body : kept?.outcome === 'forgotten' && !kept.body
      return [...checkDatabases(home), ...(isOne ? [] : [`the journal has ${JSON.stringify(kept)}`])]
    },
    async again() {
      const unfinished = await runAnother(home, ['journal'])
      if ((await entry())?.outcome === 'forgotten') unfinished.push(...checkNoBytes(home, [PERSON]))
      const {exit, wrong} = await runAgain(home, argv)
      if (exit !== 0) wrong.push(`again it ends with ${exit}`)
      if ((await entry())?.outcome !== 'forgotten') wrong.push('it is not forgotten')
      return [...unfinished, ...wrong, ...checkNoTemporaryFiles(home), ...checkNoBytes(home, [PERSON])]
    },
  }
}

export const FORGET: Subject = {
  ...{name: 'journal forget', points: CRASH_POINTS['journal forget'], randomKills: 80},
  open: openScene,
}
