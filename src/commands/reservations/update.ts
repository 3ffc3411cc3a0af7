import * as Flags from '@oclif/core/flags'
import {readUpdate} from '../../cli/features/reservations/reservation-update.js'
import {howToLook, RESERVATIONS_COLUMNS, update} from '../../cli/features/reservations/reservations.js'
import {contactFlag, guestFlag} from '../../cli/features/reserve/flags.js'
import {referenceArg} from '../../cli/input/flags.js'
import {describeCall, dryRunFlag} from '../../cli/session/dry-run.js'
import {BaseCommand} from '../../cli/shell/base-command.js'
import {requireConsent} from '../../cli/terminal/prompts/ask.js'
import {jsonResult} from '../../cli/terminal/result.js'

export default class ReservationsUpdate extends BaseCommand {
  static override summary = 'Change the contact or the guests of a reservation.'
  static override description =
    `Of the contact what is given is changed; of the guests the whole list is replaced. It is sent again only where the
service says that it did not take it (429, an ended token): when the answer is lost, the exit code is 10.
The interface does not show this path: it works against the local sandbox, and elsewhere where the profile names it in
config.json: "paths": {"reservations.update": "…"}. Needs the scope reservations:write. Environment: those of every command.`
  static override examples = [
    'bookctl reservations update "$RESERVATION" --contact email=new@example.com',
    'bookctl reservations update "$RESERVATION" --contact phone_country_code=+90,phone_number=5320000000 --dry-run',
  ]
  static override columns = RESERVATIONS_COLUMNS
  static override candidates = {ref: 'references'} as const
  static override args = referenceArg
  static override flags = {
    contact: contactFlag({
      helpValue: 'K=V,…',
      summary: 'what to change of: name, surname, email, phone_country_code, phone_number',
    }),
    guest: guestFlag({
      helpValue: 'K=V,…',
      multiple: true,
      summary: 'one guest, as reserve takes it; those given replace all there are',
    }),
    input: Flags.string({
      helpValue: 'FILE|-',
      summary: 'a JSON file, or standard input, with contact, guests or both',
    }),
    yes: Flags.boolean({summary: 'change one of a live service without asking'}),
    ...dryRunFlag,
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(ReservationsUpdate)
    const change = await readUpdate(flags)
    const target = await this.target()
    if (flags['dry-run']) {
      const call = {parameters: {reservation_ref: args.ref}, body: change}
      return this.print(jsonResult(describeCall('reservations.update', target, await this.state(), call)))
    }
    if (target.mode === 'live') {
      const agreed = flags.yes || (await this.confirm(`Change ${args.ref}?`))
      requireConsent(agreed, {what: 'a change of a live reservation', undone: 'nothing was sent'})
    }
    const connection = await this.connect(target)
    this.stopNote = {hint: howToLook(args.ref)}
    await this.print(await update(connection, args.ref, change))
  }
}
