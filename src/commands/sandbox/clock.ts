import {SandboxCommand} from '../../cli/features/sandbox/command.js'
import {durationFlag} from '../../cli/input/flags.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {single} from '../../cli/terminal/result.js'

/** Time limit of advancing the clock. Each delivery that falls due may take the 3 s that a subscriber has (§6.4). */
const MOVE_TIMEOUT_SECONDS = 600

export default class SandboxClock extends SandboxCommand {
  static override summary = "Show the local sandbox's clock, or advance it"
  static override description =
    `Advancing the clock runs everything that falls due: offers and tokens expire, payments run out, events are sent.`
  static override examples = ['bookctl sandbox clock', 'bookctl sandbox clock --advance 16m']
  static override columns = ['now']
  static override flags = {
    advance: durationFlag({helpValue: 'TIME', summary: 'time to advance by: 30s, 16m, 2h, 1d'}),
    ...dryRunFlag,
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(SandboxClock)
    const body = flags.advance === undefined ? undefined : {advance_seconds: flags.advance}
    const time = await this.control('/clock', {body, seconds: MOVE_TIMEOUT_SECONDS})
    if (time) await this.print(single(time, time, String(time.now ?? '')))
  }
}
