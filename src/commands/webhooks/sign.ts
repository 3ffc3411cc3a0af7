import process from 'node:process'
import * as Args from '@oclif/core/args'
import {BaseCommand} from '../../cli/base-command.js'
import {systemClock} from '../../cli/connect.js'
import {single} from '../../cli/output/result.js'
import {checkedFlag} from '../../cli/usage/flags.js'
import {webhookSecretFlags} from '../../cli/webhooks/secrets.js'
import {signInput} from '../../cli/webhooks/sign.js'
import {readSigningTime} from '../../cli/webhooks/verify.js'

export default class WebhooksSign extends BaseCommand {
  static override summary = 'Sign a body as the service would.'
  static override description =
    `Prints the value of the signature header (§6.2) for the bytes of a file, or of standard input, exactly as they are. With
several secrets, as during a rotation, it has a v1 for each.
Environment: BOOKCTL_WEBHOOK_SECRET (several separated by spaces), BOOKCTL_PROFILE, BOOKCTL_CONFIG_DIR.`
  static override examples = [
    'bookctl webhooks sign body.json --secret-file signing-secret.txt',
    `printf '{"id":"evt_1"}' | bookctl webhooks sign --at 1700000000 --json`,
  ]
  static override columns = ['signature', 'timestamp']
  static override args = {
    file: Args.string({description: 'what to sign; - or nothing is standard input'}),
  }
  static override flags = {
    ...webhookSecretFlags,
    at: checkedFlag(readSigningTime)({helpValue: 'TIME', summary: 'sign with this time; now when absent'}),
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(WebhooksSign)
    const place = {state: await this.state(), env: process.env, clock: systemClock.now}
    const signed = await signInput(args.file, flags, place)
    await this.print({...single(signed, {...signed}, signed.signature), text: `${signed.signature}\n`})
  }
}
