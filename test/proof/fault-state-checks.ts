/** What is wrong with what a command left: on the disk, in the journal, and at the service. */
import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {isNeverSent, NOT_SENT} from '../../src/contract/journal.js'
import {openState} from '../../src/state/state.js'
import {statusOf} from './fault.js'
import type {Errand} from './fault-errands.js'
import type {Row} from './fault-rows.js'
import {type Cell, parse, type Seen, trustOf} from './fault-seen.js'

export async function checkState({row, fault}: Cell, errand: Errand, seen: Seen): Promise<string[]> {
  const {home, finished, requests} = seen
  const wrong = checkFiles(row, seen)
  const effects = await errand.effects?.()
  const struckFirst = row.part === 'quote'
  if (effects !== undefined && !struckFirst) {
    const isMade = finished.exit === 0 || (row.nature === 'wait' && seen.struck.length > 0)
    const allowed = isMade ? [1] : finished.exit === 10 ? [0, 1] : [0]
    // A success that nothing is known of, or that `api` prints as it came, need not be that of the service.
    const isAnySuccess = ['shape', 'page'].includes(fault.conclusion.kind) && finished.exit === 0
    if (!allowed.includes(effects) && !isAnySuccess)
      wrong.push(`was made ${effects} times, with exit ${finished.exit}`)
  }
  const state = openState(home.configDirectory)
  try {
    if (errand.reference) wrong.push(...(await checkJournal(state, row, errand, seen)))
    const got = requests.some(({path, struck}) => path.endsWith('/oauth/token') && !struck)
    const kept = state.tokens.listAll().length
    const refused = statusOf(fault.conclusion) === 401
    if (got && kept === 0 && !refused && row.nature !== 'revoke') wrong.push('the token was lost')
  } finally {
    state.close()
  }
  if (errand.reference && finished.exit === 10) wrong.push(...(await checkResume(errand, seen)))
  return wrong
}

type State = ReturnType<typeof openState>

async function checkJournal(
  state: State,
  {nature}: Row,
  {reference}: Errand,
  {finished, struck}: Seen,
): Promise<string[]> {
  const entry = state.journal.list().find(each => each.clientReferenceId === reference)
  const wrong: string[] = []
  const open = entry?.outcome === 'unknown' || entry?.outcome === 'unresolved'
  if (finished.exit === 0 && !entry?.reservationRef) wrong.push('the journal does not name the reservation')
  if (finished.exit === 10 && !open) wrong.push(`the journal calls it ${entry?.outcome}`)
  if (finished.exit !== 0 && finished.exit !== 10 && struck.length > 0 && open)
    wrong.push(`the journal calls it ${entry?.outcome}, with exit ${finished.exit}`)
  // Where nothing of the reservation could be sent, it is settled as that, and there is nothing to wait for.
  const isUnsent = entry !== undefined && isNeverSent(entry)
  if (isUnsent && entry.outcome !== NOT_SENT)
    wrong.push(`the journal calls it ${entry.outcome}, not ${NOT_SENT}`)
  if (isUnsent && [0, 8, 10].includes(Number(finished.exit)))
    wrong.push(`nothing was sent, and it ends with ${finished.exit}`)
  const sent = nature === 'wait' && !isUnsent ? 1 : struck.length
  if (entry && entry.attempts !== sent)
    wrong.push(`the journal counts ${entry.attempts} attempts, of ${sent}`)
  if (nature === 'wait' && struck.length > 0 && !finished.stdout.includes(`"${entry?.reservationRef}"`))
    wrong.push('does not tell of the reservation that was made')
  return wrong
}

/** Once the service works again, the command named by the message finds out, and there is one reservation. */
async function checkResume(errand: Errand, {home, finished, struck, mend}: Seen): Promise<string[]> {
  const resume = ['reserve', '--resume', errand.reference ?? '']
  const {hint = ''} = parse(finished.stdout)?.error ?? {}
  if (!hint.includes(`bookctl ${resume.join(' ')}`)) return ['the hint does not say how to resume']
  mend()
  const again = await home.run([...resume, '--json', ...trustOf({isTrusted: struck.length > 0})])
  const effects = await errand.effects?.()
  if (again.exit === 0 && effects === 1) return []
  return [`resumed, it ends with ${again.exit} and ${effects} reservations: ${again.stdout.slice(0, 300)}`]
}

function checkFiles({writes}: Row, {home, finished}: Seen): string[] {
  const wrong: string[] = []
  const known = ['config', 'secret.txt', ...(writes && finished.exit === 0 ? [writes] : [])]
  // On newer Nodes the compiled code is kept.
  const there = readdirSync(home.directory).filter(name => name !== '.cache')
  for (const name of there) if (!known.includes(name)) wrong.push(`left ${name}`)
  if (writes && finished.exit === 0 && !there.includes(writes)) wrong.push(`did not write ${writes}`)
  if (existsSync(home.configDirectory)) {
    const temporary = home.strays()
    if (temporary.length > 0) wrong.push(`left ${temporary.join(', ')}`)
  }
  const path = join(home.directory, writes ?? '')
  if (writes?.endsWith('.pdf') && there.includes(writes)) {
    const text = readFileSync(path).toString('latin1')
    if (!text.startsWith('%PDF-') || !text.trimEnd().endsWith('%%EOF')) wrong.push('saved half a PDF')
  }
  return wrong
}
