import {showAccount} from '../api/operations/account.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {single} from '../cli/terminal/result.js'

export default class Account extends BaseCommand {
  static override summary = 'Show the account and its balance'
  static override operations = {'account.show': ''}
  static override description = `Prints the account as the service returns it.`
  static override examples = ['bookctl account', 'bookctl account --query account.balance']
  /** The usual fields. Other fields that the service sends are printed too. */
  static override columns = [
    'account_id',
    'name',
    'mode',
    'status',
    'client_id',
    'scopes',
    'currency',
    'balance',
    'credit_limit',
    'available_balance',
    'updated_at',
  ]

  async run(): Promise<void> {
    await this.parse(Account)
    const {api} = await this.connect()
    const account = await showAccount(api)
    const id = typeof account.account_id === 'string' ? account.account_id : null
    await this.print(single({account}, account, id))
  }
}
