import * as Args from '@oclif/core/args'
import {webhookSecretFlags} from '../../cli/features/webhooks/secrets.js'
import {readSigningTime, signInput} from '../../cli/features/webhooks/verify.js'
import {checkedFlag} from '../../cli/input/flags.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {single} from '../../cli/terminal/result.js'

export default class WebhooksSign extends BaseCommand {
  static override summary = 'Sign a body as the service would'
  static override description =
    `Prints the signature header's value for the exact bytes of a file or of standard input. With several secrets, as during
a rotation, it has a v1 for each.`
  static override environment = ['BOOKCTL_WEBHOOK_SECRET', 'BOOKCTL_PROFILE', 'BOOKCTL_CONFIG_DIR']
  static override examples = [
    'bookctl webhooks sign body.json --secret-file signing-secret.txt',
    `printf '{"id":"evt_1"}' | bookctl webhooks sign --at 1700000000 --json`,
  ]
  static override columns = ['signature', 'timestamp']
  static override args = {file: Args.string({description: 'file to sign (default standard input)'})}
  static override flags = {
    ...webhookSecretFlags,
    at: checkedFlag(readSigningTime)({helpValue: 'TIME', summary: 'sign with this time (default now)'}),
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(WebhooksSign)
    const signed = await signInput(args.file, flags, await this.state())
    await this.print({...single(signed, signed, signed.signature), text: `${signed.signature}\n`})
  }
}
