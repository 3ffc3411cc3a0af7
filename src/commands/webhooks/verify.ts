import process from 'node:process'
import * as Args from '@oclif/core/args'
import {
  chooseInputs,
  jobsFlag,
  openThreads,
  planVerify,
  readBody,
  verifyFlags,
} from '../../cli/features/webhooks/verify.js'
import {verifyInputs} from '../../cli/features/webhooks/verify-inputs.js'
import {
  type Printing,
  printResults,
  VERIFY_COLUMNS,
  type Verified,
} from '../../cli/features/webhooks/verify-results.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {EXITS} from '../../cli/shell/exit-codes.js'
import type {Result} from '../../cli/terminal/result.js'
import {stdoutDrained} from '../../cli/terminal/streams.js'
import {usage} from '../../contract/failure.js'

export default class WebhooksVerify extends BaseCommand {
  static override summary = 'Check the signature of a webhook, and find out why it fails'
  static override description =
    `Reads what people send: raw bodies (with --signature), whole HTTP requests, HAR files, captures of webhooks listen, JSON of a
gateway or a log, curl commands for bash, cmd.exe and PowerShell, Invoke-WebRequest, the output of curl --trace, and any of
these in a mail, with > before its lines and broken lines. The content says which it is. In a HAR file, requests with a
signature and POSTs of an event are checked; the number of other entries is printed on stderr, and is skipped in --json.
Works offline, without a login. Tries every signing secret stored for the profile unless one is given.
The first line for one webhook is "Valid", or "Not valid:" with the reason. Exits with 9 when a signature is not valid, and
explains why: a named cause is proved by a signature that matches, or by the Content-Length;
everything else is unexplained. What is not a whole request, such as the output of curl -v, which prints no body, is "Not
checked:" (exit code 2) and says what to ask for; --body adds the body. --reply prints the verdict as a mail to the partner.`
  static override environment = ['BOOKCTL_WEBHOOK_SECRET', 'BOOKCTL_PROFILE', 'BOOKCTL_CONFIG_DIR']
  static override examples = [
    'bookctl webhooks verify body.bin --signature t=…,v1=…',
    'bookctl webhooks verify request.http --secret-file signing-secret.txt --json',
    'bookctl webhooks verify captures/*.ndjson --at received --format ndjson',
    'bookctl webhooks verify mail.txt --at signed --reply',
    'bookctl webhooks verify curl-output.txt --body body.bin',
  ]
  static override strict = false
  static override columns = VERIFY_COLUMNS
  static override args = {
    file: Args.string({description: 'captured webhooks (repeatable; - for standard input)'}),
  }
  static override flags = {...verifyFlags, jobs: jobsFlag}

  async run(): Promise<void> {
    const {argv, flags} = await this.parse(WebhooksVerify)
    const inputs = chooseInputs(argv as string[], flags)
    const terms = await planVerify(flags, await this.state())
    const leftOut = {count: 0}
    const warn = (text: string) => void this.warn(`Warning: ${text}`)
    const explains = !flags.json && flags.format === undefined && !flags.reply
    const printer = {
      print: async (result: Result<Verified>, continues: boolean) => {
        await this.print(result, continues)
        await stdoutDrained()
      },
      printText: this.printText.bind(this),
      tell: explains ? this.tell.bind(this) : undefined,
    }
    const {json, format, query, quiet} = flags
    let printing: Printing = 'in blocks'
    if (query !== undefined) printing = 'all at the end'
    else if (json) printing = 'one document'
    else if (format !== 'table' && (format !== undefined || quiet || !process.stdout.isTTY))
      printing = 'as they come'
    const body = await readBody(flags)
    const threads = await openThreads(inputs, terms, flags, printing, explains)
    this.whenStopped(() => threads?.close())
    const results = verifyInputs(inputs, terms, leftOut, warn, {body, replies: flags.reply, threads})
    const {read, invalid, notChecked} = await printResults(results, inputs.length, printing, printer, leftOut)
    // An empty capture verifies nothing, which must not look like a success.
    if (read === 0) throw usage('nothing_to_verify', 'no webhook request found in the input')
    if (read > 1) this.note(`${read - invalid - notChecked} of ${read} valid`)
    if (invalid > 0) this.exitCode = EXITS.signature.code
    else if (notChecked > 0) this.exitCode = EXITS.usage.code
  }
}
