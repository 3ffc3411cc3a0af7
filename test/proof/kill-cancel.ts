/** `reservations cancel` is killed: it is cancelled or it is not, the money comes back once, and what is told is so. */
import {CRASH_POINTS} from './crash-points.js'
import {checkDatabases, checkNoTemporaryFiles} from './kill-checks.js'
import type {Lane} from './kill-lane.js'
import {runAgain} from './kill-run.js'
import {ofOneCommand, type Scene, type Subject} from './kill-scene.js'

async function openScene(lane: Lane): Promise<Scene> {
  const {home, proxy} = await lane.openHome()
  const before = await lane.balanceCents()
  const reference = await lane.side.reservation('account')
  const paid = before - (await lane.balanceCents())
  const argv = ['reservations', 'cancel', reference, '--yes']
  const look = async () => {
    const {status, cancellation} = await lane.side.show<{status: string; cancellation?: {fee: string}}>(
      `/reservations/${reference}`,
    )
    const isCancelled = status === 'CANCELLED'
    const owed = isCancelled ? Math.round(Number(cancellation?.fee) * 100) : paid
    const gone = before - (await lane.balanceCents())
    return {isCancelled, wrong: gone === owed ? [] : [`${gone} cents are gone, of ${owed} (${status})`]}
  }
  return {
    ...ofOneCommand({home, argv, proxy}),
    afterDeath: async () => [...checkDatabases(home), ...(await look()).wrong],
    async again() {
      const {isCancelled} = await look()
      const {exit, result, wrong} = await runAgain(home, argv)
      const code = (result.error as {code?: string} | undefined)?.code
      const isSo = isCancelled ? exit === 5 && code === 'already_cancelled' : exit === 0
      if (!isSo) wrong.push(`again it ends with ${exit} ${code}, where cancelled was ${isCancelled}`)
      const after = await look()
      if (!after.isCancelled) wrong.push('again it is not cancelled')
      return [...wrong, ...after.wrong, ...checkNoTemporaryFiles(home)]
    },
  }
}

export const CANCEL: Subject = {
  ...{name: 'reservations cancel', points: CRASH_POINTS['reservations cancel'], randomKills: 40},
  open: openScene,
}
