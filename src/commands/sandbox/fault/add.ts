import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {FAULT_COLUMNS, SandboxCommand} from '../../../cli/features/sandbox/command.js'
import {invalid} from '../../../cli/input/checks.js'
import {checkedFlag} from '../../../cli/input/flags.js'
import {closestFew, didYouMean} from '../../../cli/input/match.js'
import {dryRunFlag} from '../../../cli/session/dry-run.js'
import {single} from '../../../cli/terminal/result.js'
import {ERROR_CODES} from '../../../contract/error-codes.js'
import {usage} from '../../../contract/failure.js'
import * as faults from '../../../sandbox/http/faults.js'

export default class SandboxFaultAdd extends SandboxCommand {
  static override summary = 'Inject a fault into the next requests of the local sandbox'
  static override description = `Kinds: ${Object.entries(faults.FAULT_KINDS)
    .map(([kind, {meaning}]) => `${kind} ${meaning}`)
    .join('; ')}.
Faults apply in the order they were injected.`
  static override examples = [
    'bookctl sandbox fault add status --status 503 --retry-after 2 --times 3',
    'bookctl sandbox fault add commit-then-drop --operation reservations.create',
    'bookctl sandbox fault add latency --latency-ms 2000 --operation hotels.search --json',
  ]
  static override columns = FAULT_COLUMNS
  static override args = {
    kind: Args.string({
      required: true,
      options: faults.FAULT_KIND_NAMES,
      description: 'what happens to the request',
    }),
  }
  static override flags = {
    operation: Flags.string({
      helpValue: 'NAME',
      options: faults.FAULT_OPERATIONS,
      default: '*',
      summary: 'operation whose requests it hits, for example reservations.create (*: all)',
    }),
    times: Flags.integer({...numberFlag('times', 'N', 'number of requests it hits'), default: 1}),
    status: Flags.integer(numberFlag('status', 'STATUS', 'status, for status and html')),
    'retry-after': Flags.integer(numberFlag('retry_after', 'SECONDS', 'Retry-After in seconds, for status')),
    code: checkedFlag((field, text) => {
      if (Object.hasOwn(ERROR_CODES, text)) return text
      const likely = closestFew(text, Object.keys(ERROR_CODES), 3).join(', ')
      const hint = likely ? didYouMean(likely) : 'for example service_unavailable or offer_expired'
      throw invalid(field, 'must be an error code of the service', text, hint)
    })({helpValue: 'CODE', summary: 'error code, for status (default the usual one of the status)'}),
    'latency-ms': Flags.integer(numberFlag('latency_ms', 'MS', 'delay in milliseconds, for latency')),
    ...dryRunFlag,
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(SandboxFaultAdd)
    const {operation, times, status, code, 'retry-after': retry_after, 'latency-ms': latency_ms} = flags
    checkFields(args.kind as faults.FaultKind, {status, retry_after, code, latency_ms})
    const body = {operation, kind: args.kind, times, status, retry_after, code, latency_ms}
    const fault = await this.control('/faults', {body})
    if (fault) await this.print(single({fault}, fault, args.kind))
  }
}

function numberFlag(field: keyof typeof faults.FAULT_NUMBERS, helpValue: string, summary: string) {
  return {...faults.FAULT_NUMBERS[field], helpValue, summary}
}

/** Throws a usage error if a field that `kind` needs is missing, or one that it does not take is given. */
function checkFields(kind: faults.FaultKind, given: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(given)
  const wrong = (name: string, problem: string) =>
    usage('invalid_flag', `--${name.replace('_', '-')} ${problem}`)
  const missing = names.find(name => given[name] === undefined && faults.faultField(kind, name) === 'needed')
  if (missing) throw wrong(missing, `is required for the kind ${kind}`)
  const surplus = names.find(name => given[name] !== undefined && !faults.faultField(kind, name))
  if (!surplus) return
  const takers = faults.FAULT_KIND_NAMES.filter(each => faults.faultField(each, surplus))
  throw wrong(surplus, `is for the kind ${takers.join(' or ')}, not for ${kind}`)
}
