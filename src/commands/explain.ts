import {statSync} from 'node:fs'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {explain, isKnownHere} from '../cli/features/explain/explain.js'
import {isProblem} from '../cli/features/explain/finding.js'
import {describeFinding} from '../cli/features/explain/finding-words.js'
import {EXPLAIN_COLUMNS, explanationResult} from '../cli/features/explain/print.js'
import {replyResult} from '../cli/features/explain/reply.js'
import {verifyFlags} from '../cli/features/webhooks/verify.js'
import {checkGiven} from '../cli/input/checks.js'
import {ignoreFailure} from '../cli/input/usage-errors.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {EXITS} from '../cli/shell/exit-codes.js'
import {usage} from '../contract/failure.js'

const WHEN_LOGGED_IN = 'when logged in'
/** The time limit for each request unless --timeout is given: what cannot be asked is left out. */
const TIMEOUT_SECONDS = 10

export default class Explain extends BaseCommand {
  static override summary = 'Explain what happened to a reservation, an event, an offer or a request'
  static override operations = {
    'reservations.show': WHEN_LOGGED_IN,
    'reservations.list': WHEN_LOGGED_IN,
    'voucher.show': WHEN_LOGGED_IN,
    'subscriptions.list': WHEN_LOGGED_IN,
  }
  static override description =
    `Prints one timeline, oldest first, from all that this machine or its shared store knows, from the service when logged in, and
from a local sandbox; below it what stands out, each with its next step. Works logged out and while the service is down.
WHAT is a reservation, a client reference, an event (evt_…), an offer (off_…), a request id, or a file with a captured
webhook, which is then checked as webhooks verify does. Exits with ${EXITS.not_as_agreed.code} if something is a problem.
--reply prints the same as plain sentences for a mail to the partner, without secrets and personal data.`
  static override examples = [
    'bookctl explain RSV-…',
    'bookctl explain trip-… --json',
    'bookctl explain evt_… --reply',
    'bookctl explain request.http --secret-file signing-secret.txt',
  ]
  static override columns = EXPLAIN_COLUMNS
  static override candidates = {what: 'references'} as const
  static override args = {
    what: Args.string({
      required: true,
      description: 'reservation, client reference, event, offer, request id, or file with a webhook',
    }),
  }
  static override flags = {
    ...verifyFlags,
    reply: Flags.boolean({summary: 'plain sentences for a mail to the partner'}),
  }

  protected override async connectOptions(ignoresInvalid = false) {
    const options = await super.connectOptions(ignoresInvalid)
    return {...options, timeoutSeconds: options.timeoutSeconds ?? TIMEOUT_SECONDS}
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(Explain)
    const what = checkGiven('WHAT', args.what)
    const state = await this.state()
    const isFile = what === '-' || isReadable(what)
    if (isFile && !(await isKnownHere(what, state)))
      return void (await this.config.runCommand('webhooks:verify', this.argv))
    const {reply: _, ...ofFile} = verifyFlags
    const given = (Object.keys(ofFile) as (keyof typeof ofFile)[]).find(name => flags[name] !== undefined)
    if (given) throw usage('invalid_flags', `--${given} is for a file with a webhook, and ${what} is none`)
    const {facts, findings, unjudged} = await explain(what, {
      state,
      // Without credentials, the service is not asked, and the records of this machine are explained.
      target: await this.target().catch(ignoreFailure),
      connect: () => this.connect(),
      options: await this.connectOptions(),
      whenStopped: tidy => this.whenStopped(tidy),
    })
    if (flags.reply) await this.print(replyResult(facts, findings))
    else await this.print(explanationResult(facts, findings.map(describeFinding), unjudged))
    if (findings.some(isProblem)) this.exitCode = EXITS.not_as_agreed.code
  }
}

function isReadable(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isDirectory() === false
}
