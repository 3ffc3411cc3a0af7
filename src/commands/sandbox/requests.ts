import process from 'node:process'
import * as Flags from '@oclif/core/flags'
import {SandboxCommand} from '../../cli/features/sandbox/command.js'
import {
  checkStatus,
  followRequests,
  isWanted,
  type LoggedRequest,
  REQUEST_COLUMNS,
  type RequestFilter,
  readRequests,
  requestDetails,
  requestList,
} from '../../cli/features/sandbox/requests.js'
import {createRequestLines} from '../../cli/features/sandbox/start.js'
import {checkedFlag, identifierArg} from '../../cli/input/flags.js'
import {running} from '../../cli/shell/running.js'
import {isForPeople} from '../../cli/terminal/output.js'
import {whenReaderGoes} from '../../cli/terminal/streams.js'
import {usage} from '../../contract/failure.js'
import {KEPT_EVIDENCE} from '../../sandbox/certify/evidence.js'
import {FAULT_OPERATIONS} from '../../sandbox/http/faults.js'
import {KEPT_REQUESTS} from '../../sandbox/http/requests.js'

export default class SandboxRequests extends SandboxCommand {
  static override summary = 'List the requests that the local sandbox received, or follow them'
  static override description =
    `The sandbox lists the latest ${KEPT_REQUESTS} requests to the service, the payment page and vouchers. With REQUEST_ID one is shown with
its headers and bodies, without tokens, secrets and identity numbers; an older one, of the last ${KEPT_EVIDENCE.toLocaleString('en')}, without them. --follow prints each request as it is answered, a line
each, also with --json, until Ctrl-C or until the sandbox stops.`
  static override examples = [
    'bookctl sandbox requests',
    'bookctl sandbox requests --follow --status 4xx --status 5xx',
    'bookctl sandbox requests req_…',
  ]
  static override columns = [...REQUEST_COLUMNS.map(({name}) => name), 'headers', 'body', 'answer']
  static override args = {
    request_id: identifierArg('other')({description: 'id of the request to show'}),
  }
  static override flags = {
    follow: Flags.boolean({summary: 'print the requests that come, as they are answered'}),
    client: Flags.string({
      helpValue: 'CLIENT',
      summary: 'only those of this client: its id, or poor or readonly',
    }),
    status: checkedFlag(checkStatus)({
      helpValue: 'STATUS',
      multiple: true,
      summary: 'only those answered with this status: 404, or 4xx for all of a class (repeatable)',
    }),
    operation: Flags.string({
      helpValue: 'NAME',
      options: FAULT_OPERATIONS.slice(1),
      summary: 'only those of this operation, for example reservations.create',
    }),
  }

  private follows = false

  /** Looking for new requests is neither shown nor kept as a request of this machine. */
  protected override async connectOptions(ignoresInvalid = false) {
    const options = await super.connectOptions(ignoresInvalid)
    return this.follows ? {...options, quiet: true, history: undefined} : options
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(SandboxRequests)
    const {follow, client, status, operation} = flags
    const control = (path: string) => this.control(path)
    if (args.request_id !== undefined) {
      const given = Object.entries({follow, client, status, operation}).find(
        ([, value]) => value !== undefined,
      )
      if (given) throw usage('invalid_flags', `--${given[0]} cannot be used with REQUEST_ID`, 'leave one out')
      return this.print(await requestDetails(control, args.request_id))
    }
    const filter = {client, status, operation}
    if (follow) return this.follow(control, filter)
    const {requests} = await readRequests(control)
    await this.print(requestList(requests.filter(request => isWanted(request, filter))))
  }

  private async follow(control: Parameters<typeof followRequests>[0], filter: RequestFilter): Promise<void> {
    this.follows = true
    this.printsLines = true
    this.stopNote = {state: 'the sandbox goes on', hint: 'to see them again: bookctl sandbox requests'}
    await whenReaderGoes(running.endWithReader)
    const {json, query} = this.globals
    const format =
      json && query === undefined ? {...this.globals, json: false, format: 'ndjson' as const} : this.globals
    const lines = isForPeople(this.globals, process.stdout) ? createRequestLines(false) : undefined
    if (lines) this.whenStopped(() => lines.end())
    const show = (request: LoggedRequest) =>
      lines
        ? lines.add({...request, milliseconds: request.ms ?? 0})
        : this.print({...requestList([request]), document: request}, this.hasPrinted, format)
    await followRequests(control, {filter, show, warn: text => void this.warn(text)})
    this.tell('The local sandbox has stopped.')
  }
}
