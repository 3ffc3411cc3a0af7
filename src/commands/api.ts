import process from 'node:process'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {METHODS} from '../api/operations/raw.js'
import type {Answer} from '../api/types.js'
import {
  apiResult,
  bodyOf,
  bytesOf,
  checkMethod,
  planCall,
  readCall,
  splitHeader,
} from '../cli/features/request/api.js'
import {checkedArg, checkedFlag} from '../cli/input/flags.js'
import {collectFailure} from '../cli/input/usage-errors.js'
import {scopeFlag} from '../cli/session/setting-keys.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {EXITS} from '../cli/shell/exit-codes.js'
import {jsonResult} from '../cli/terminal/result.js'
import {type Failure, failureWith} from '../contract/failure.js'
import {REDACTED} from '../contract/foreign-text.js'
import {parseExactly} from '../contract/json.js'

const NOT_IN_JOURNAL =
  'Warning: a reservation made this way is not in the journal, so a lost answer cannot be resumed; use bookctl reserve'

type Typed = {readonly args: Parameters<typeof readCall>[0]; readonly flags: Parameters<typeof readCall>[1]}

export default class Api extends BaseCommand {
  static override summary = 'Call any path under the base URL with the stored credentials'
  static override description =
    `For operations that have no command yet. PATH is relative to the base URL, with or without its leading slash;
credentials are sent nowhere else. The response body goes to stdout, in a pipe byte for byte, whatever the status; the
exit code is that of every command, so a refusal shows in it, and 6 means a body that claims to be JSON and is not.
With --json a refusal is the error document, with the service's own body under "body" if that is short enough, and a
response that is not JSON is {content_type, bytes, body or body_base64}. Requests that only read are repeated when the
answer is lost; changes never are, and then the exit code is ${EXITS.outcome_unknown.code}. The token has the scope of the operation if the path
is a known one, else the configured scopes.`
  static override examples = [
    'bookctl api /account',
    'bookctl api GET "reservations?limit=5" --query "data[].reservation_ref"',
    'bookctl api POST /webhooks/subscriptions --data @subscription.json --header Idempotency-Key:0b9f2f4e-3f1a-4c52-9a53-0f4b8a0c7d11 --dry-run',
  ]
  static override candidates = {scope: 'scopes'} as const
  static override args = {
    method: checkedArg(checkMethod)({
      required: true,
      description: 'GET (default without --data), HEAD, POST, PUT, PATCH, DELETE or OPTIONS',
    }),
    path: Args.string({required: true, description: 'path under the base URL, with its query'}),
  }
  static override flags = {
    data: Flags.string({
      char: 'd',
      helpValue: 'JSON|@FILE|-',
      summary: 'request body: JSON, @FILE, or - for standard input',
    }),
    header: checkedFlag(splitHeader)({
      char: 'H',
      helpValue: 'NAME:VALUE',
      multiple: true,
      summary: 'additional request header (repeatable)',
    }),
    scope: scopeFlag('scope the token needs'),
    include: Flags.boolean({char: 'i', summary: 'print status and headers before the body'}),
    'dry-run': Flags.boolean({summary: 'print the request without sending it'}),
    yes: Flags.boolean({summary: 'do not ask before a change on a live service'}),
  }

  /** Inserts GET if only a path is given. */
  protected override leading([only = '', ...others]: readonly string[], flags: {data?: string}): string[] {
    const isPath = others.length === 0 && only !== '' && !METHODS.includes(only.toUpperCase())
    return isPath && flags.data === undefined ? ['GET'] : []
  }

  protected override async alsoWrong({args, flags}: Typed) {
    const errors: Failure[] = []
    await readCall(args, {...flags, header: flags.header?.filter(Boolean)}).catch(collectFailure(errors))
    return errors
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(Api)
    const call = await readCall(args, flags)
    const target = await this.target()
    const plan = planCall(target, call)
    if (flags['dry-run']) {
      const {method, url, headers, body} = plan.request
      const shown = {authorization: `Bearer ${REDACTED}`, ...headers}
      const request = {method, url, headers: shown, ...(body === undefined ? {} : {body: parseExactly(body)})}
      return this.print(jsonResult(request))
    }
    if (plan.operation === 'reservations.create') this.warn(NOT_IN_JOURNAL)
    const atStake = {what: 'a change on a live service', undone: 'nothing was sent'}
    const question = `Send ${plan.request.method} ${plan.request.url}?`
    if (plan.changes && target.mode === 'live') await this.consent(flags.yes, question, atStake)
    const {sender, tokens, clock, timeoutSeconds} = await this.connect(target)
    const {callRaw, failureOf, withoutEcho} = await import('../api/operations/raw.js')
    const answer = await callRaw({sender, tokens, clock, timeoutSeconds}, plan)
    const failure = failureOf(answer, plan, clock.now())
    const shown = failure ? withoutEcho(answer) : answer
    await this.show(shown, flags.include, failure === undefined)
    if (failure) throw failureWith(failure, {result: {body: bodyOf(shown)}})
  }

  /**
   * Prints an answer. With --json a refusal is not printed here, because the error document contains it. A query only applies to
   * a success.
   */
  private async show(answer: Answer, include: boolean, isDone: boolean): Promise<void> {
    const {json, format, query, columns, quiet} = this.globals
    if (!isDone && (json || quiet)) return
    const asForm = json || [format, query, columns].some(form => form !== undefined)
    if (isDone && (asForm || (quiet && answer.json !== undefined)))
      return this.print(apiResult(answer, include))
    if (quiet) return
    const bytes = bytesOf(answer, include, Boolean(process.stdout.isTTY))
    if (bytes) process.stdout.write(bytes)
    else
      this.warn(`${answer.body.length} bytes of binary data are not shown at a terminal; redirect the output`)
    this.hasPrinted = true
  }
}
