import * as Flags from '@oclif/core/flags'
import {checkIdentity, checkReadyToken, describeIdentity} from '../cli/features/access/profiles.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {single} from '../cli/terminal/result.js'
import {systemClock} from '../contract/dates.js'

export default class Whoami extends BaseCommand {
  static override summary = 'Show the service and the client in use'
  static override operations = {'account.show': '--check of BOOKCTL_TOKEN'}
  static override description =
    `Reads only this machine; --check also asks the service whether it accepts the credentials. Scopes and expiry are those of
the stored token with the scopes of the login, else of the newest.`
  static override examples = ['bookctl whoami', 'bookctl whoami --check --json']
  static override columns = [
    'profile',
    'base_url',
    'client_id',
    'mode',
    'scopes',
    'expires_at',
    'source',
    'stored_in',
  ]
  static override flags = {check: Flags.boolean({summary: 'request a token with these credentials'})}

  async run(): Promise<void> {
    const {flags} = await this.parse(Whoami)
    const target = await this.target()
    const state = await this.state()
    if (flags.check && target.token) await checkReadyToken((await this.connect(target)).api)
    else if (flags.check) await checkIdentity(await this.openSender(), target, state)
    const identity = await describeIdentity(target, state, systemClock.now())
    await this.print(single(identity, identity, identity.client_id))
  }
}
