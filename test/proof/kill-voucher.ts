/** `voucher download` is killed: the file is whole, or as it was before, and nothing lies beside it. */
import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {CRASH_POINTS} from './crash-points.js'
import {checkDatabases, checkNoTemporaryFiles} from './kill-checks.js'
import type {Lane} from './kill-lane.js'
import {runAgain} from './kill-run.js'
import {ofOneCommand, type Scene, type Subject} from './kill-scene.js'

const OLD = 'what was there before'

async function openScene(lane: Lane, isForced: boolean): Promise<Scene> {
  const {home, proxy} = await lane.openHome()
  const path = join(home.directory, 'v.pdf')
  if (isForced) writeFileSync(path, OLD)
  const reference = await lane.side.reservation('account')
  const argv = ['voucher', 'download', reference, '--file', 'v.pdf', ...(isForced ? ['--force'] : [])]
  const look = () => {
    const text = existsSync(path) ? readFileSync(path, 'latin1') : undefined
    if (text === undefined) return 'none'
    if (text === OLD) return 'old'
    return text.startsWith('%PDF-') && text.trimEnd().endsWith('%%EOF') ? 'whole' : 'cut'
  }
  const before = look()
  return {
    ...ofOneCommand({home, argv, proxy}),
    afterDeath: () => [
      ...checkDatabases(home),
      ...([before, 'whole'].includes(look()) ? [] : [`the file is ${look()}`]),
    ],
    async again() {
      const isThere = look() === 'whole' && !isForced
      const {exit, wrong} = await runAgain(home, argv)
      if (exit !== (isThere ? 2 : 0)) wrong.push(`again it ends with ${exit}`)
      if (look() !== 'whole') wrong.push(`again the file is ${look()}`)
      return [...wrong, ...checkNoTemporaryFiles(home)]
    },
  }
}

export const VOUCHER: readonly Subject[] = [
  {
    ...{name: 'voucher download', points: CRASH_POINTS['voucher download'], randomKills: 160},
    open: lane => openScene(lane, false),
  },
  {
    ...{name: 'voucher download --force', points: CRASH_POINTS['voucher download --force'], randomKills: 60},
    open: lane => openScene(lane, true),
  },
]
