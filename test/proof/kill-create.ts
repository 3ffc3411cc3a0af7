/** `webhooks create` is killed: a secret that was shown once is kept, or the next run says that a subscription may exist. */
import {randomUUID} from 'node:crypto'
import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {CRASH_POINTS} from './crash-points.js'
import {checkDatabases, checkNoBytes, checkNoTemporaryFiles, withState} from './kill-checks.js'
import type {Lane} from './kill-lane.js'
import {runAgain} from './kill-run.js'
import {ofOneCommand, type Scene, type Subject} from './kill-scene.js'

const FILE = 'signing.txt'
const EARLIER = 'earlier_creation_unknown'

async function openScene(lane: Lane): Promise<Scene> {
  const {home, proxy} = await lane.openHome()
  const url = `https://127.0.0.1:1/${randomUUID()}`
  const argv = ['webhooks', 'create', '--url', url, '--event', 'voucher.ready', '--secret-file', FILE]
  const path = join(home.directory, FILE)
  const kept = () => withState(home, state => state.secrets.listSigningSecrets())
  const made = async () => {
    const all = await lane.side.show<{id: string; url: string}[]>('/webhooks/subscriptions?limit=200')
    return all.filter(each => each.url === url).map(({id}) => id)
  }
  /** Those whose secret is nowhere. */
  const lost = async () => {
    const ids = (await kept()).map(({subscription_id}) => subscription_id)
    return (await made()).filter(id => !ids.includes(id))
  }
  const checkFile = async () => {
    const secrets = (await kept()).map(({secret}) => secret)
    return existsSync(path) && !secrets.includes(readFileSync(path, 'utf8')) ? ['the secret file is cut'] : []
  }
  return {
    ...ofOneCommand({home, argv, proxy}),
    async afterDeath({stdout}) {
      const secrets = (await kept()).map(({secret}) => secret)
      const shown = stdout.match(/whsec_[\w+/=-]{8,}(?=")/g) ?? []
      const wrong = shown.every(secret => secrets.includes(secret)) ? [] : ['was printed before it was kept']
      return [...checkDatabases(home), ...(await checkFile()), ...wrong]
    },
    async again() {
      const lostBefore = await lost()
      const isThere = existsSync(path)
      const {exit, result, wrong} = await runAgain(home, argv)
      const code = (result.error as {code?: string} | undefined)?.code
      const saysSo = exit === 10 && code === EARLIER
      if (lostBefore.length > 0 && !saysSo) wrong.push(`a secret was lost, and again it says ${exit} ${code}`)
      if (saysSo) wrong.push(...(await runOnceMore(lostBefore.length)))
      else if (exit !== (isThere ? 2 : 0)) wrong.push(`again it ends with ${exit} ${code}`)
      if ((await lost()).length !== lostBefore.length) wrong.push('one more secret was lost')
      const secrets = (await kept()).map(({secret}) => secret)
      return [
        ...[...wrong, ...(await checkFile()), ...checkNoTemporaryFiles(home)],
        ...checkNoBytes(home, secrets, /^(signing\.txt|tokens\.db.*)$/),
      ]
    },
  }

  async function runOnceMore(lostBefore: number): Promise<string[]> {
    const {exit, wrong} = await runAgain(home, [...argv, '--again'])
    const isThere = existsSync(path)
    const count = (await made()).length
    if (exit !== 0 && !(exit === 2 && isThere)) wrong.push(`with --again it ends with ${exit}`)
    if (count > lostBefore + (await kept()).length) wrong.push(`${count} subscriptions were made`)
    return wrong
  }
}

export const CREATE: Subject = {
  ...{name: 'webhooks create', points: CRASH_POINTS['webhooks create'], randomKills: 240},
  open: openScene,
}
