import {scopeFlag, scopesOf} from '../cli/session/setting-keys.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {single} from '../cli/terminal/result.js'
import {isoTime} from '../contract/dates.js'
import {BOOKING_SCOPES} from '../contract/operations.js'

export default class Token extends BaseCommand {
  static override summary = 'Print a valid access token'
  static override description =
    `The stored token, or a new one if it has expired. Anyone who has it can act as the client until it expires.`
  static override examples = ['bookctl token', 'bookctl token --scope account:read --json']
  static override columns = ['access_token', 'token_type', 'scopes', 'expires_at']
  static override candidates = {scope: 'scopes'} as const
  static override flags = {scope: scopeFlag('scope the token needs')}

  async run(): Promise<void> {
    const {flags} = await this.parse(Token)
    const {tokens, target} = await this.connect()
    const token = await tokens.get(scopesOf(...(flags.scope ?? [])) ?? target.scopes ?? BOOKING_SCOPES)
    const {access_token, scopes} = token
    const expires_at = Number.isFinite(token.expiresAt) ? isoTime(token.expiresAt) : null
    const document = {access_token, token_type: 'Bearer', scopes, expires_at}
    await this.print({...single(document, document, access_token), text: `${access_token}\n`})
  }
}
