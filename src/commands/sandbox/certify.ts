import * as Flags from '@oclif/core/flags'
import {CERTIFY_COLUMNS, certifyResult, hasFailed, sinceText} from '../../cli/features/certify/sheet.js'
import {checkResult, checkSheetFile, sheetFlags, writeSheets} from '../../cli/features/certify/sheet-files.js'
import type {Proof} from '../../cli/features/certify/signed-sheet.js'
import {clientIdOf, SandboxCommand} from '../../cli/features/sandbox/command.js'
import {readTimeOrAgo} from '../../cli/input/checks.js'
import {checkedFlag} from '../../cli/input/flags.js'
import {EXITS} from '../../cli/shell/exit-codes.js'
import type {CertifySheet} from '../../contract/certificate.js'
import {KEPT_EVIDENCE} from '../../sandbox/certify/evidence.js'

/** Time to judge many requests, on a busy machine. */
const JUDGE_SECONDS = 60

export default class SandboxCertify extends SandboxCommand {
  static override summary = 'Judge a program by what the local sandbox saw of it'
  static override description =
    `Checks the requests of a client, and the answers of its webhook receivers, against the rules of the interface: tokens, keys,
lost answers, refusals, vouchers, webhooks. Each rule is passed, failed or not shown, with the ids of the requests that prove it
(bookctl sandbox requests REQ_ID) and what to do. Advice never changes the exit code. Exits with ${EXITS.not_as_agreed.code} if a required rule failed, or was not shown with --complete.
--html writes a page without scripts, signed with a key of this machine; --check exits with ${EXITS.not_as_agreed.code} if it was changed since, or has
another machine's signature. The sandbox keeps the last ${KEPT_EVIDENCE.toLocaleString('en')} requests, until it is reset.`
  static override examples = [
    'bookctl sandbox certify',
    'bookctl sandbox certify --since 10m --json',
    'bookctl sandbox certify --complete --junit certify.xml',
    'bookctl sandbox certify --html certificate.html --program "trips 1.4"',
    'bookctl sandbox certify --check certificate.html',
    'bookctl sandbox certify --query "rules[].[rule, verdict]"',
  ]
  static override columns = CERTIFY_COLUMNS
  static override flags = {
    client: Flags.string({
      helpValue: 'CLIENT',
      summary: 'the client to judge: its id, or poor or readonly (default the one of sandbox env)',
    }),
    ...sheetFlags,
    check: Flags.string({
      helpValue: 'FILE',
      summary: 'say whether a page of --html was changed (- for standard input)',
      exclusive: ['client', 'since', 'complete', 'junit', 'html', 'program'],
    }),
    since: checkedFlag(readTimeOrAgo)({
      helpValue: 'TIME|AGO',
      summary: 'only what was seen since a time of the sandbox, or in the last 30s, 10m, 2h, 1d of its clock',
    }),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(SandboxCertify)
    const {client, since, check} = flags
    if (check !== undefined) return this.checkFile(check)
    const query = new URLSearchParams()
    if (client !== undefined) query.set('client_id', clientIdOf(client))
    if (flags.html !== undefined) query.set('proof', 'true')
    if (since !== undefined) query.set('since', await sinceText(since, () => this.now()))
    const sheet = await this.control(`/certificate?${query}`, {seconds: JUDGE_SECONDS})
    if (!sheet) return
    const {proof, ...judged} = sheet as unknown as CertifySheet & {readonly proof?: Proof}
    const {configDir: directory, version} = this.config
    await writeSheets(judged, flags, {directory, version, proof})
    await this.print(certifyResult(judged))
    if (hasFailed(judged, flags.complete)) this.exitCode = EXITS.not_as_agreed.code
  }

  private async checkFile(file: string): Promise<void> {
    const check = await checkSheetFile(file, this.config.configDir)
    await this.print(checkResult(file, check))
    if (!check.unchanged || !check.own_key) this.exitCode = EXITS.not_as_agreed.code
  }

  private async now(): Promise<string> {
    return String((await this.control('/clock'))?.now ?? '')
  }
}
