import * as Args from '@oclif/core/args'
import {reserveFlags} from '../cli/features/reserve/flags.js'
import {ReserveFlow, type Shell} from '../cli/features/reserve/flow.js'
import {RESERVATION_COLUMNS} from '../cli/features/reserve/payment.js'
import {TEMPLATE} from '../cli/features/reserve/reservation.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {mayAsk} from '../cli/terminal/prompts/ask.js'
import {jsonResult} from '../cli/terminal/result.js'

export default class Reserve extends BaseCommand {
  static override summary = 'Convert an offer into a reservation.'
  static override description =
    `The reservation is written down before it is sent, with its Idempotency-Key: the same command run again, or killed and run
again, never books twice. When the answer is lost the exit code is 10, and --resume finds out what happened. The input file
is the request of the service, with fields as --template prints them; flags win over it.
In --guest, identity numbers may be written tc=… or passport=…; type is ADULT unless told, the first guest leads, and the
nationality is the client's. At a terminal, what is missing is asked for: without arguments that is the whole booking, from
the search to the voucher, and nothing is sent before the one confirmation. People are kept on this machine only where you
agree; the list of guests offers to forget them, and logout --all forgets all. Environment: those of every command.`
  static override examples = [
    'bookctl reserve "$OFFER" --pay account --guest name=Ayşe,surname=Öğüt,birth_date=1990-02-03,gender=FEMALE,tc=10000000146 --guest name=Can,surname=Öğüt,birth_date=1988-07-12,gender=MALE,passport=U1234567 --contact name=Ayşe,surname=Öğüt,email=ayse@example.com,phone_country_code=+90,phone_number=5321234567',
    'bookctl reserve --input reservation.json --client-reference TRIP-7 --max-price 900 --dry-run',
    'bookctl reserve --template',
  ]
  static override columns = RESERVATION_COLUMNS
  static override candidates = {offer_id: 'offers', resume: 'client-references'} as const
  static override args = {
    offer_id: Args.string({description: 'the offer, as hotels search prints it'}),
  }
  static override flags = reserveFlags

  async run(): Promise<void> {
    const {args, flags} = await this.parse(Reserve)
    if (flags.template) return this.print(jsonResult(TEMPLATE))
    const flow = new ReserveFlow(this.shell(), {...flags, preferred: await this.preferences()})
    const mayLead = mayAsk(this.globals) && flags.resume === undefined && flags.input !== '-'
    if (
      mayLead &&
      (await (await import('../cli/features/wizard/wizard.js')).leadReservation(flow, args.offer_id))
    )
      return
    await flow.run(args.offer_id)
  }

  private shell(): Shell {
    const command = this
    return {
      target: () => this.target(),
      state: () => this.state(),
      connect: target => this.connect(target),
      prompts: () => this.prompts(),
      agreed: (...asked) => this.agreed(...asked),
      warn: text => void this.warn(text),
      note: lines => this.note(lines),
      takesNotes: this.takesNotes(),
      print: result => this.print(result),
      whenStopped: tidy => this.whenStopped(tidy),
      setStopNote: note => {
        this.stopNote = note
      },
      get timeoutSeconds() {
        return command.timeoutSeconds
      },
    }
  }
}
