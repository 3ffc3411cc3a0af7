import * as Flags from '@oclif/core/flags'
import {SandboxCommand} from '../../cli/features/sandbox/command.js'
import {LEDGER_COLUMNS, ledgerResult, readLedger} from '../../cli/features/sandbox/ledger.js'

export default class SandboxLedger extends SandboxCommand {
  static override summary = 'Show the ledger of an account on the local sandbox'
  static override description =
    `Each booking, refund and fee, oldest first, with the balance after it. Debits are negative. The opening balance and all amounts add up
to the balance. A cancellation is a refund of the whole charge and, unless it is free, a fee. Reservations that the customer
pays do not change the account.`
  static override examples = [
    'bookctl sandbox ledger',
    'bookctl sandbox ledger --client poor',
    'bookctl sandbox ledger --json --query balance',
  ]
  static override columns = LEDGER_COLUMNS.map(({name}) => name)
  static override flags = {
    client: Flags.string({
      helpValue: 'CLIENT',
      summary: 'the client whose account it is: its id, or poor or readonly (default cid_sandbox)',
    }),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(SandboxLedger)
    const control = (path: string) => this.control(path)
    await this.print(ledgerResult(await readLedger(control, flags.client)))
  }
}
