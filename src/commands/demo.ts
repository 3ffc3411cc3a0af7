import process from 'node:process'
import {Demo, type Step} from '../cli/features/sandbox/demo.js'
import {systemClock} from '../cli/session/clock.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {jsonText} from '../cli/terminal/json-text.js'
import {isoTime} from '../contract/dates.js'

export default class DemoCommand extends BaseCommand {
  static override summary = 'Show a whole booking on a temporary local sandbox'
  static override description =
    `Logs in, searches, reserves from the balance, downloads the voucher, subscribes to events, receives a signed event and
verifies it, and makes an instant payment, over real HTTP on this machine. Each step is shown as the command you would
type. Leaves nothing behind, and needs nothing: no environment.`
  static override examples = ['bookctl demo', 'bookctl demo --json']
  static override columns = []

  async run(): Promise<void> {
    const {flags} = await this.parse(DemoCommand)
    const say = (text: string) => void (flags.json || process.stdout.write(`${text}\n`))
    const demo = new Demo({
      script: process.argv[1] ?? '',
      execArgv: process.execArgv,
      env: process.env,
      today: isoTime(systemClock.now()).slice(0, 10),
      onCommand: command => say(`$ ${command}`),
      json: flags.json,
      onOutput: say,
    })
    this.whenStopped(() => demo.stop())
    const steps = await demo.run()
    if (flags.json) process.stdout.write(`${jsonText({steps: steps.map(withResult)}, 2)}\n`)
    say('Done. Nothing was left behind.')
  }
}

/** A command that streams prints a document a line. */
function withResult({command, exit, output}: Step): object {
  const isStream = output.startsWith('{"')
  const result = isStream
    ? output
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    : JSON.parse(output)
  return {command, exit, result}
}
