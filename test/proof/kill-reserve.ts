/** `reserve` is killed: one reservation and one debit come of it, under one key, and nothing of people stays. */
import {isNeverSent} from '../../src/contract/journal.js'
import {GUESTS} from '../support/stay.js'
import {CRASH_POINTS} from './crash-points.js'
import {checkDatabases, checkNoBytes, checkNoTemporaryFiles, withState} from './kill-checks.js'
import {type Lane, newReference} from './kill-lane.js'
import {runAgain, runAnother} from './kill-run.js'
import {ofOneCommand, type Scene, type Subject} from './kill-scene.js'

const OF_PEOPLE = ['10000000146', 'U1234567', '5321234567']

export const RESERVE: readonly Subject[] = [
  {
    ...{name: 'reserve', points: CRASH_POINTS.reserve, randomKills: 400},
    open: (lane, random) => openScene(lane, random, 'account'),
  },
  {
    ...{name: 'reserve --pay instant', points: CRASH_POINTS['reserve --pay instant'], randomKills: 60},
    open: (lane, random) => openScene(lane, random, 'instant'),
  },
]

async function openScene(lane: Lane, random: () => number, pay: 'account' | 'instant'): Promise<Scene> {
  const reference = newReference()
  const argv = [
    ...['reserve', await lane.side.offer(), '--client-reference', reference],
    ...['--pay', pay, '--nationality', 'TR', ...GUESTS],
  ]
  const {home, proxy} = await lane.openHome()
  const before = await lane.balanceCents()
  const sent = () => proxy.requests.filter(({path}) => path.endsWith('/reservations/hotel'))
  const entry = () =>
    withState(home, state => state.journal.list().find(each => each.clientReferenceId === reference))
  /** What was never sent is not sent by resuming, which says so and leaves nothing of people. */
  const makesNothing = async (resume: readonly string[]) => {
    const {exit, result, wrong} = await runAgain(home, resume)
    const {code} = (result.error ?? {}) as {code?: string}
    if (exit !== 2 || code !== 'never_sent')
      wrong.push(`resumed, what was never sent ends with ${exit}, ${JSON.stringify(result).slice(0, 500)}`)
    if (sent().length > 0) wrong.push('resuming sent what was never sent')
    return [...wrong, ...checkNoBytes(home, OF_PEOPLE)]
  }
  return {
    ...ofOneCommand({home, argv, proxy}),
    async afterDeath({stdout}) {
      const wrong = checkDatabases(home)
      const kept = await entry()
      for (const {headers, body} of sent()) {
        if (kept?.idempotencyKey !== headers['idempotency-key'])
          wrong.push('was sent under a key that is not in the journal')
        if (kept?.body !== null && kept?.body !== body)
          wrong.push('was sent otherwise than the journal has it')
      }
      if (sent().length > (kept?.attempts ?? 0)) wrong.push('an attempt was not counted before it left')
      if (isWhole(stdout) && !kept?.reservationRef) wrong.push('was printed before it was written down')
      return wrong
    },
    async again() {
      const begun = await entry()
      const unfinished = await runAnother(home, ['journal'])
      if (begun?.body === null) unfinished.push(...checkNoBytes(home, OF_PEOPLE))
      const resumes = begun !== undefined && random() < 0.5
      const resume = ['reserve', '--resume', reference]
      const isUnsent = begun !== undefined && isNeverSent(begun)
      if (resumes && isUnsent) unfinished.push(...(await makesNothing(resume)))
      const {exit, result, wrong} = await runAgain(home, resumes && !isUnsent ? resume : argv)
      if (exit !== 0 || result.outcome !== (pay === 'account' ? 'confirmed' : 'pending_payment'))
        wrong.push(`again it ends with ${exit}, ${JSON.stringify(result).slice(0, 500)}`)
      const made = await lane.side.show<{reservation_ref: string; payment: {amount: string}}[]>(
        `/reservations?client_reference_id=${reference}`,
      )
      if (made.length !== 1) wrong.push(`${made.length} reservations were made`)
      const debited = before - (await lane.balanceCents())
      if (debited !== (pay === 'account' ? Math.round(Number(made[0]?.payment.amount) * 100) : 0))
        wrong.push(`${debited} cents were debited`)
      const bodies = new Set(sent().map(({headers, body}) => `${headers['idempotency-key']} ${body}`))
      if (bodies.size !== 1) wrong.push(`was sent in ${bodies.size} ways`)
      const kept = await entry()
      if (kept?.reservationRef !== made[0]?.reservation_ref)
        wrong.push('the journal names another reservation')
      return [...unfinished, ...wrong, ...checkNoTemporaryFiles(home), ...checkNoBytes(home, OF_PEOPLE)]
    },
  }
}

function isWhole(stdout: string): boolean {
  try {
    JSON.parse(stdout)
    return true
  } catch {
    return false
  }
}
