import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {
  type ChaosPlayed,
  chaosResult,
  type DrillList,
  type DrillsDone,
  drillList,
  drillsResult,
  wasWrong,
} from '../../cli/features/certify/drill-results.js'
import {clientIdOf, hintFor, SandboxCommand} from '../../cli/features/sandbox/command.js'
import {readDuration} from '../../cli/input/checks.js'
import {checkedFlag} from '../../cli/input/flags.js'
import {closest, didYouMean, listOfNames} from '../../cli/input/match.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {EXITS} from '../../cli/shell/exit-codes.js'
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {DRILLS} from '../../sandbox/certify/drills.js'
import {FAULT_NUMBERS, FAULT_OPERATIONS} from '../../sandbox/http/faults.js'

const NAMES = DRILLS.map(({name}) => name)
const OF_ANY_OPERATION = DRILLS.filter(({takesOperation}) => takesOperation).map(({name}) => name)

/** Receivers may take some seconds for each of many deliveries. */
const PLAY_SECONDS = 600

export default class SandboxDrill extends SandboxCommand {
  static override summary = 'Show a program what ordinary traffic does not'
  static override description =
    `Without a name, lists the drills, the rule of sandbox certify that each shows, and whether it was shown. A drill of requests
is armed and concerns the client's next request; a drill of events is sent to the client's active subscriptions at once, about a
reservation that does not exist. --chaos plays deliveries doubled, late, overlapping and out of order, the same for the same
seed; if an answer is wrong (not 2xx within 3 s) it finds the shortest part that does it, and exits with ${EXITS.not_as_agreed.code}.`
  static override examples = [
    'bookctl sandbox drill',
    'bookctl sandbox drill lost-answer expired-token',
    'bookctl sandbox drill busy --operation hotels.search',
    'bookctl sandbox drill duplicate-event forged-event --json',
    'bookctl sandbox drill --chaos 7',
  ]
  static override strict = false
  static override columns = ['drill', 'rule', 'shown', 'verdict', 'shows']
  static override args = {
    name: Args.string({description: `drills to arm or send: ${NAMES.join(', ')}`}),
  }
  static override flags = {
    client: Flags.string({
      helpValue: 'CLIENT',
      summary: 'the client that is tested: its id, or poor or readonly (default the one of sandbox env)',
    }),
    operation: Flags.string({
      helpValue: 'NAME',
      options: FAULT_OPERATIONS,
      summary: `operation whose next request is hit, for ${OF_ANY_OPERATION.join(' and ')} (default reservations.create)`,
    }),
    slow: checkedFlag(readSlow)({
      helpValue: 'SECONDS',
      summary: 'how long the booking takes, for slow (default 70)',
    }),
    chaos: Flags.string({
      helpValue: 'SEED',
      summary: 'play deliveries in the disorder that belongs to SEED',
      exclusive: ['operation', 'slow'],
    }),
    ...dryRunFlag,
  }

  async run(): Promise<void> {
    const {argv, flags} = await this.parse(SandboxDrill)
    const names = argv as string[]
    const {operation, slow, chaos} = flags
    checkNames(names, {operation, slow, chaos})
    const client_id = clientIdOf(flags.client)
    if (chaos !== undefined) return this.play(client_id, chaos)
    if (names.length === 0) {
      const list = await this.control(`/drills?${new URLSearchParams({client_id})}`, {seconds: PLAY_SECONDS})
      if (list) await this.print(drillList(list as unknown as DrillList))
      return
    }
    const body = {client_id, drills: [...new Set(names)], operation, slow_seconds: slow}
    const done = await this.send('/drills', body)
    if (!done) return
    await this.print(drillsResult(done as unknown as DrillsDone))
    this.note('What the program makes of it: bookctl sandbox certify')
  }

  private async play(client_id: string, seed: string): Promise<void> {
    const played = await this.send('/chaos', {client_id, seed})
    if (!played) return
    const {subscriptions} = played as unknown as ChaosPlayed
    const chaos = {client_id, seed, subscriptions}
    await this.print(chaosResult(chaos))
    if (wasWrong(chaos)) this.exitCode = EXITS.not_as_agreed.code
  }

  private send(path: string, body: object) {
    const hint = 'create one: bookctl webhooks create --url URL --event TYPE'
    const options = {body, seconds: PLAY_SECONDS}
    return this.control(path, options).catch(hintFor('subscription_not_found', hint))
  }
}

/** Reads --slow. Throws a usage error unless it is a number of seconds, or a duration, that a fault can have. */
function readSlow(field: string, text: string): number {
  const seconds = readDuration(field, text)
  const most = FAULT_NUMBERS.latency_ms.max / 1000
  if (seconds >= 1 && seconds <= most) return seconds
  throw usage('invalid_flag', `${field} must be from 1 to ${most} seconds, not "${text}"`)
}

interface Choice {
  readonly operation: string | undefined
  readonly slow: number | undefined
  readonly chaos: string | undefined
}

/** Throws a usage error for a name that is no drill, and for a flag that does not concern the drills that are named. */
function checkNames(names: readonly string[], {operation, slow, chaos}: Choice): void {
  const unknown = names.find(name => !NAMES.includes(name))
  if (unknown !== undefined) {
    const likely = closest(unknown, NAMES)
    const hint = likely === undefined ? listOfNames(NAMES) : didYouMean(likely)
    throw usage('unknown_drill', `unknown drill "${sanitizeLine(unknown, 60)}"`, hint)
  }
  if (chaos !== undefined && names.length > 0) {
    throw usage('conflicting_flags', '--chaos plays a series of its own: leave out the names of drills')
  }
  if (chaos !== undefined && !/^\S{1,100}$/.test(chaos)) {
    throw usage('invalid_flag', '--chaos must be a number or a word, without spaces', 'for example --chaos 7')
  }
  const isFixed = names.length === 0 || names.some(name => !OF_ANY_OPERATION.includes(name))
  if (operation !== undefined && isFixed) {
    throw usage('invalid_flag', `--operation is for the drills ${OF_ANY_OPERATION.join(' and ')} only`)
  }
  if (slow !== undefined && !names.includes('slow')) {
    throw usage('invalid_flag', '--slow is for the drill slow only', 'bookctl sandbox drill slow --slow 90')
  }
}
