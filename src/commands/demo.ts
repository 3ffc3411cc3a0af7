import {mkdirSync} from 'node:fs'
import {join, resolve} from 'node:path'
import process from 'node:process'
import {Demo, type Step} from '../cli/features/sandbox/demo.js'
import {EVENT_COLUMNS} from '../cli/features/webhooks/event-lines.js'
import {invalid} from '../cli/input/checks.js'
import {checkWritable} from '../cli/input/files.js'
import {checkedFlag} from '../cli/input/flags.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {jsonText} from '../cli/terminal/json-text.js'
import {terminalOf} from '../cli/terminal/output.js'
import {wrapForTerminal} from '../cli/terminal/talk.js'
import {hang} from '../cli/terminal/text.js'
import {isoTime, systemClock} from '../contract/dates.js'

export default class DemoCommand extends BaseCommand {
  static override summary = 'Show a whole booking on a temporary local sandbox'
  static override description =
    `Logs in, searches, reserves from the balance, downloads the voucher, subscribes to events, receives a signed event and
verifies it, and makes an instant payment, over real HTTP on this machine. Each step is shown as the command you would
type, with what it does and why. Leaves nothing behind but the vouchers that --keep asks for, and needs nothing: no
environment.`
  static override examples = ['bookctl demo', 'bookctl demo --keep vouchers', 'bookctl demo --json']
  static override environment = ['BOOKCTL_COLUMNS', 'NO_COLOR']
  static override columns = []
  static override flags = {
    keep: checkedFlag(checkDirectory)({helpValue: 'DIR', summary: 'keep the vouchers in DIR'}),
  }

  async run(): Promise<void> {
    const {flags} = await this.parse(DemoCommand)
    const keep = flags.keep === undefined ? undefined : makeDirectory(flags.keep)
    const {isTTY, columns, paint} = terminalOf(process.stdout)
    const width = isTTY ? columns : Number.POSITIVE_INFINITY
    const say = (lines: readonly string[]) => {
      if (!flags.json) process.stdout.write(lines.map(line => `${line}\n`).join(''))
    }
    const sayWrapped = (lines: readonly string[]) => say(lines.flatMap(line => wrapForTerminal(line, width)))
    const demo = new Demo({
      script: process.argv[1] ?? '',
      execArgv: process.execArgv,
      env: process.env,
      today: isoTime(systemClock.now()).slice(0, 10),
      keep,
      json: flags.json,
      onCommand(command, why) {
        const comment = hang(`# ${why}`, width, 2).map(line => paint('header', `#${line.slice(1)}`))
        say(['', ...comment])
        sayWrapped([`$ ${command}`])
      },
      onOutput: step => sayWrapped(linesOf(step)),
    })
    this.whenStopped(() => demo.stop())
    const steps = await demo.run()
    const {kept} = demo
    if (flags.json) process.stdout.write(`${jsonText({steps: steps.map(withResult), kept}, 2)}\n`)
    const end = kept.length === 0 ? 'Nothing was left behind.' : 'Only the vouchers are left:'
    say(['', `Done. ${end}`, ...kept])
  }
}

function checkDirectory(field: string, text: string): string {
  if (text.trim() === '') throw invalid(field, 'must name a directory')
  return resolve(text)
}

/** Creates the directory if it is missing. Throws a usage error if it cannot be created or is not writable. */
function makeDirectory(path: string): string {
  try {
    mkdirSync(path)
  } catch {
    // checkWritable reports why.
  }
  checkWritable('--keep', join(path, 'voucher.pdf'))
  return path
}

/** Returns the lines that a step printed. In a pipe `webhooks listen` prints bare values, so their names are added. */
function linesOf({command, output}: Step): string[] {
  const lines = output.trimEnd().split('\n')
  if (!command.startsWith('bookctl webhooks listen')) return lines
  const labelled = lines.flatMap(line => {
    const values = line.split('\t')
    if (values.length !== EVENT_COLUMNS.length) return line
    const named = EVENT_COLUMNS.map((name, index) => `  ${`${name}:`.padEnd(14)}${values[index]}`)
    return ['The event that was received, its signature checked:', ...named]
  })
  return ['', '# Meanwhile `webhooks listen` printed:', ...labelled]
}

/** Returns a step with its JSON. A command that streams prints one document a line. */
function withResult({command, exit, output}: Step): object {
  const lines = output.trim().split('\n')
  const result = output.startsWith('{"') ? lines.map(line => JSON.parse(line)) : JSON.parse(output)
  return {command, exit, result}
}
