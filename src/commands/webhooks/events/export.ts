import {
  eventFilter,
  eventFilterFlags,
  exportEvents,
  printEvents,
} from '../../../cli/features/webhooks/events.js'
import {checkNewFile} from '../../../cli/input/files.js'
import {checkedFlag} from '../../../cli/input/flags.js'
import {BaseCommand} from '../../../cli/shell/base-command.js'
import {single} from '../../../cli/terminal/result.js'

export default class WebhooksEventsExport extends BaseCommand {
  static override summary =
    'Export received webhook events as a capture: one JSON record a line, oldest first'
  static override description =
    `The events of all profiles. The records are those of webhooks listen --json; webhooks verify reads them. --json prints them as one document.`
  static override examples = [
    'bookctl webhooks events export > events.ndjson',
    'bookctl webhooks events export --since 1d --file day.ndjson',
    'bookctl webhooks events export --type voucher.ready | wc -l',
  ]
  static override environment = ['BOOKCTL_PROFILE', 'BOOKCTL_STORE', 'BOOKCTL_CONFIG_DIR']
  static override columns = ['exported', 'file']
  static override candidates = {id: 'events', type: 'event-types', reservation: 'references'} as const
  static override flags = {
    ...eventFilterFlags,
    file: checkedFlag((field, path) => (path === '-' ? path : checkNewFile(field, path)))({
      helpValue: 'FILE|-',
      default: '-',
      summary: 'new file to write (- for standard output)',
    }),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(WebhooksEventsExport)
    const events = await (await this.state()).events()
    const filter = await eventFilter(flags, events)
    if (flags.file === '-') return printEvents(events, filter, this.globals)
    const exported = await exportEvents(events, filter, flags.file)
    await this.print(single({exported, file: flags.file}, {exported, file: flags.file}, flags.file))
  }
}
