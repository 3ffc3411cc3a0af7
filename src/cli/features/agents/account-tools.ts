/** The tool that reads the account. */
import {z} from 'zod'
import {showAccount} from '../../../api/operations/account.js'
import {isObject, type JsonObject} from '../../../contract/json.js'
import {textOrNull} from './schemas.js'
import {defineTool} from './tool.js'

/** The usual fields of an account. What else a service sends is its own matter, and may hold people or documents. */
const FIELDS = [
  'account_id',
  'name',
  'mode',
  'status',
  'currency',
  'balance',
  'credit_limit',
  'available_balance',
  'updated_at',
] as const

const amount = z
  .union([z.string(), z.number(), z.looseObject({})])
  .nullable()
  .optional()

export const showAccountTool = defineTool({
  name: 'account',
  title: 'Show the account',
  description:
    'Shows the account that reservations with payment.mode account are paid from: balance, credit and currency, as the service returns them. What this server may spend is limited further.',
  input: z.strictObject({}),
  output: {
    account: z.looseObject({
      currency: textOrNull('Currency of the account').optional(),
      balance: amount.describe('What is on the account'),
      available_balance: amount.describe('What can be spent, with credit'),
    }),
  },
  run: async (_, desk) => {
    const {api} = await desk.connect()
    return {document: {account: cutAccount(await showAccount(api))}}
  },
})

function cutAccount(account: JsonObject): JsonObject {
  const fields = FIELDS.filter(name => Object.hasOwn(account, name))
  return Object.fromEntries(
    fields.map(name => [name, isObject(account[name]) ? moneyOf(account[name]) : account[name]]),
  )
}

/** An amount may be an object: `{"amount": "10.00", "currency": "EUR"}`. */
function moneyOf(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => ['amount', 'total', 'value', 'currency'].includes(key)),
  )
}
