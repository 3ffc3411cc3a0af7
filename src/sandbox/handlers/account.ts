/** GET /account (§4.6; the record is ours). */
import type {Account} from '../../contract/account.js'
import {isoTime} from '../../contract/dates.js'
import {fromMinor} from '../../contract/money.js'
import {data} from '../base/answer.js'
import {operation} from '../base/service.js'

export const showAccount = operation(({client}) => {
  const balance = fromMinor(BigInt(client.balance_minor), client.currency)
  const account: Account = {
    account_id: client.account_id,
    name: client.name,
    mode: 'test',
    status: 'ACTIVE',
    client_id: client.client_id,
    scopes: client.scopes.split(' '),
    currency: client.currency,
    balance,
    credit_limit: fromMinor(0n, client.currency),
    available_balance: balance,
    updated_at: isoTime(client.updated_at),
  }
  return data(account)
})
