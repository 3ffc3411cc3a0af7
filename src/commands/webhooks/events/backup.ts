import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {backUpEvents} from '../../../cli/features/webhooks/event-backup.js'
import {BaseCommand} from '../../../cli/shell/base-command.js'

export default class WebhooksEventsBackup extends BaseCommand {
  static override summary = 'Copy the received webhook events to a file, also while they come'
  static override description =
    `Writes a copy of events.db by SQLite's own VACUUM INTO, in one transaction, so that webhooks listen goes on receiving; checks
the copy (integrity_check), and only then gives it its name. It has the events of all profiles and what is still to be forwarded,
readable only by you. With --force it replaces an earlier backup, and no other file. To restore it, stop webhooks listen, remove
events.db and its -wal and -shm, and copy the backup to its place. A shared store is backed up by PostgreSQL.`
  static override environment = ['BOOKCTL_STORE', 'BOOKCTL_CONFIG_DIR']
  static override examples = [
    'bookctl webhooks events backup events-backup.db --force',
    'bookctl webhooks events backup "events-$(date +%F).db" --force --json',
  ]
  static override columns = ['file', 'events', 'bytes', 'integrity']
  static override args = {file: Args.string({required: true, description: 'file to write'})}
  static override flags = {force: Flags.boolean({summary: 'replace an earlier backup'})}

  async run(): Promise<void> {
    const {args, flags} = await this.parse(WebhooksEventsBackup)
    await this.print(await backUpEvents(await this.state(), args.file, flags.force))
  }
}
