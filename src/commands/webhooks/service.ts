import {serviceFlags, serviceResult, serviceWarnings} from '../../cli/features/webhooks/service.js'
import {planService} from '../../cli/features/webhooks/service-plan.js'
import {missing} from '../../cli/input/usage-errors.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class WebhooksService extends BaseCommand {
  static override summary = 'Print what runs webhooks listen as a service'
  static override description =
    `Prints a systemd unit (own user, hardening, watchdog, reload), a compose file or Kubernetes manifests (with http probes, on
--admin 0.0.0.0:9464) that run webhooks listen with the flags given here, for the program that prints it. Its first lines say how
to install it. Paths become absolute; no file is read or written. --json has all files that belong together.`
  static override examples = [
    'bookctl webhooks service --systemd --forward-to http://127.0.0.1:3000/hooks > bookctl-listen.service',
    'bookctl webhooks service --systemd --socket > bookctl-listen.socket',
    'bookctl webhooks service --compose --port 8080',
    'bookctl webhooks service --kubernetes --port 8080 --json',
  ]
  static override candidates = {event: 'event-types'} as const
  static override flags = serviceFlags

  async run(): Promise<void> {
    const {flags, raw} = await this.parse(WebhooksService)
    const {systemd, compose, kubernetes} = flags
    if (!systemd && !compose && !kubernetes) throw missing(['--systemd, --compose or --kubernetes'])
    for (const warning of serviceWarnings(flags)) this.warn(warning)
    await this.print(serviceResult(flags, planService(flags, raw, this.config.version)))
  }
}
