import {resolve} from 'node:path'
import process from 'node:process'
import * as Flags from '@oclif/core/flags'
import {DiagnosingCommand} from '../../cli/features/doctor/doctor.js'
import {
  BUNDLE_COLUMNS,
  bundleResult,
  collectBundle,
  LAST_REQUESTS,
  listing,
  zipBundle,
} from '../../cli/features/support/bundle.js'
import {checkWritable, requireNewFile} from '../../cli/input/files.js'
import {checkedArg} from '../../cli/input/flags.js'
import {mayAsk, requireConsent} from '../../cli/terminal/prompts/ask.js'
import {systemClock} from '../../contract/dates.js'
import {writeWholeFile} from '../../storage/files.js'

const WRITING = {
  what: 'what is in it',
  undone: 'nothing was written',
  hint: 'add --yes; --dry-run lists what would be in it',
}

export default class SupportBundle extends DiagnosingCommand {
  static override summary = 'Collect diagnostics for support'
  static override operations = {'account.show': 'to check the account'}
  static override description =
    `Writes a zip archive with versions, environment and settings without secrets, the results of doctor, the reservation
journal without personal data, and the last ${LAST_REQUESTS} requests without headers and bodies. Contents and redactions are listed
before it is written: at a terminal the command asks, elsewhere --yes is required, and --dry-run only lists. The file
is readable by its owner only, and an existing file is not replaced without --force.
The last requests are kept in exchanges.jsonl in the configuration directory; BOOKCTL_NO_HISTORY=1 keeps none.`
  static override examples = [
    'bookctl support bundle bundle.zip --dry-run',
    'bookctl support bundle "bundle for support.zip" --yes --force',
  ]
  static override columns = BUNDLE_COLUMNS
  static override args = {
    file: checkedArg(checkWritable)({required: true, description: 'the zip file to write'}),
  }
  static override flags = {
    offline: Flags.boolean({summary: 'send nothing; check this machine only'}),
    yes: Flags.boolean({summary: 'write it without asking'}),
    force: Flags.boolean({summary: 'replace an existing file'}),
    'dry-run': Flags.boolean({summary: 'list the contents without writing them'}),
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(SupportBundle)
    if (!flags.force) requireNewFile(args.file, 'name another, or add --force to replace it')
    if (!flags.yes && !flags['dry-run'] && !mayAsk(this.globals)) requireConsent(undefined, WRITING)
    const checks = await this.diagnose(flags.offline, undefined)
    const now = systemClock.now()
    const {name, version} = this.config
    const about = {state: await this.state(), env: process.env, version: {name, version}, checks, now}
    const files = await collectBundle(about)
    if (flags['dry-run']) return this.print(bundleResult(files))
    if (!flags.yes) await this.consent(false, `Write ${args.file}?`, WRITING, listing(files))
    const bytes = await zipBundle(files, now)
    await writeWholeFile(resolve(args.file), [bytes], {existing: flags.force ? 'replace' : 'create'})
    await this.print(bundleResult(files, {path: args.file, bytes: bytes.length}, !flags.yes))
  }
}
