import process from 'node:process'
import * as Args from '@oclif/core/args'
import {
  chooseInputs,
  type Printing,
  planVerify,
  printResults,
  VERIFY_COLUMNS,
  verifyFlags,
  verifyInputs,
} from '../../cli/features/webhooks/verify.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {EXITS} from '../../cli/shell/exit-codes.js'
import {usage} from '../../contract/failure.js'

export default class WebhooksVerify extends BaseCommand {
  static override summary = 'Check the signature of a webhook, and find out why it fails'
  static override description =
    `Reads raw bodies (with --signature), whole HTTP requests, HAR files and captures of webhooks listen; the content says which
it is. In a HAR file, requests with a signature and POSTs of an event are checked; the number of other entries is printed
on stderr, and is skipped in --json. Works offline, without a login. Tries every signing secret stored for the profile
unless one is given.
The first line for one webhook is "Valid", or "Not valid:" with the reason. Exits with 9 when a signature is not valid, and
explains why: a named cause is proved by a signature that matches;
everything else is unexplained.`
  static override environment = ['BOOKCTL_WEBHOOK_SECRET', 'BOOKCTL_PROFILE', 'BOOKCTL_CONFIG_DIR']
  static override examples = [
    'bookctl webhooks verify body.bin --signature t=…,v1=…',
    'bookctl webhooks verify request.http --secret-file signing-secret.txt --json',
    'bookctl webhooks verify captures/*.ndjson --at received --format ndjson',
  ]
  static override strict = false
  static override columns = VERIFY_COLUMNS
  static override args = {
    file: Args.string({description: 'captured webhooks (repeatable; - for standard input)'}),
  }
  static override flags = verifyFlags

  async run(): Promise<void> {
    const {argv, flags} = await this.parse(WebhooksVerify)
    const inputs = chooseInputs(argv as string[], flags)
    const terms = await planVerify(flags, await this.state())
    const leftOut = {count: 0}
    const results = verifyInputs(inputs, terms, leftOut, text => void this.warn(`Warning: ${text}`))
    const explains = !flags.json && flags.format === undefined
    const printer = {
      print: this.print.bind(this),
      tell: explains ? this.tell.bind(this) : undefined,
    }
    const {json, format, query, quiet} = flags
    let printing: Printing = 'in blocks'
    if (query !== undefined) printing = 'all at the end'
    else if (json) printing = 'one document'
    else if (format !== 'table' && (format !== undefined || quiet || !process.stdout.isTTY))
      printing = 'as they come'
    const {read, invalid} = await printResults(results, inputs.length, printing, printer, leftOut)
    // An empty capture verifies nothing, which must not look like a success.
    if (read === 0) throw usage('nothing_to_verify', 'no webhook request found in the input')
    if (read > 1) this.note(`${read - invalid} of ${read} valid`)
    if (invalid > 0) this.exitCode = EXITS.signature.code
  }
}
