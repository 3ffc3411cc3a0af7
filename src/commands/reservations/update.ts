import * as Flags from '@oclif/core/flags'
import * as reservations from '../../cli/features/reservations/reservations.js'
import {contactFlag, guestFlag} from '../../cli/features/reserve/flags.js'
import {referenceArg} from '../../cli/input/flags.js'
import {dryRunFlag} from '../../cli/session/dry-run.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {EXITS} from '../../cli/shell/exit-codes.js'

export default class ReservationsUpdate extends BaseCommand {
  static override summary = 'Change the contact or the guests of a reservation'
  static override operations = {'reservations.update': ''}
  static override description =
    `Only the given fields of the contact are changed; the list of guests is replaced as a whole. The request is repeated
only if the service says that it did not accept it (429, an expired token): when the answer is lost, the exit code is
${EXITS.outcome_unknown.code}.
${pathNote(ReservationsUpdate.operations)}`
  static override examples = [
    'bookctl reservations update RSV-… --contact email=new@example.com',
    'bookctl reservations update RSV-… --contact phone_country_code=+90,phone_number=5320000000 --dry-run',
  ]
  static override columns = reservations.RESERVATIONS_COLUMNS
  static override candidates = {ref: 'references'} as const
  static override args = referenceArg
  static override flags = {
    contact: contactFlag({
      helpValue: 'K=V,…',
      summary: 'fields to change: name, surname, email, phone (or phone_country_code, phone_number)',
    }),
    guest: guestFlag({
      helpValue: 'K=V,…',
      multiple: true,
      summary: 'one guest, as in reserve; replaces all guests (repeatable)',
    }),
    input: Flags.string({
      helpValue: 'FILE|-',
      summary: 'JSON file, or - for standard input, with contact, guests or both',
    }),
    yes: Flags.boolean({summary: 'do not ask before changing a live reservation'}),
    ...dryRunFlag,
  }

  protected override async alsoWrong({flags}: {flags: Parameters<typeof reservations.readUpdate>[0]}) {
    await reservations.readUpdate(flags)
    return []
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(ReservationsUpdate)
    const change = await reservations.readUpdate(flags)
    const target = await this.target()
    const call = {parameters: {reservation_ref: args.ref}, body: change}
    if (flags['dry-run']) return this.printRequest('reservations.update', target, call)
    const atStake = {what: 'a change of a live reservation', undone: 'nothing was sent'}
    if (target.mode === 'live') await this.consent(flags.yes, `Change ${args.ref}?`, atStake)
    const connection = await this.connect(target)
    this.stopNote = {hint: reservations.howToCheck(args.ref)}
    await this.print(await reservations.update(connection, args.ref, change))
  }
}
