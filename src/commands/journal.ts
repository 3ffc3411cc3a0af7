import * as Flags from '@oclif/core/flags'
import {
  AGENT_COLUMNS,
  JOURNAL_COLUMNS,
  readAgentJournal,
  readJournal,
} from '../cli/features/reserve/journal.js'
import {BaseCommand} from '../cli/shell/base-command.js'

export default class Journal extends BaseCommand {
  static override summary = 'List the reservations that were tried'
  static override description =
    `By this machine, or by all that share its store (BOOKCTL_STORE). Every reservation is recorded before it is sent. If the
answer was lost, its outcome is "unknown" or "unresolved" until bookctl reserve --resume REF finds out; "not_sent" means
that nothing of it was sent. With --by mcp, only what agents made is listed, with the program and the handle of each.`
  static override examples = [
    'bookctl journal',
    'bookctl journal --unresolved --json',
    'bookctl journal --by mcp --columns handle,program,outcome',
  ]
  static override environment = ['BOOKCTL_PROFILE', 'BOOKCTL_STORE', 'BOOKCTL_CONFIG_DIR']
  static override columns = [...JOURNAL_COLUMNS, ...AGENT_COLUMNS]
  static override flags = {
    unresolved: Flags.boolean({summary: 'only reservations whose outcome is unknown'}),
    by: Flags.string({options: ['mcp'], summary: 'only reservations that agents made'}),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(Journal)
    const state = await this.state()
    if (flags.by === 'mcp') return this.print(await readAgentJournal(state, flags.unresolved))
    await this.print(await readJournal(state, flags.unresolved))
  }
}
