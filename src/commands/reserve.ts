import * as Args from '@oclif/core/args'
import {RESERVATION_COLUMNS} from '../cli/features/reserve/booking.js'
import {type ReserveFlags, reserveFlags} from '../cli/features/reserve/flags.js'
import {type OpenWizard, ReservePipeline} from '../cli/features/reserve/pipeline.js'
import {mistakesIn, readTyped, TEMPLATE} from '../cli/features/reserve/request.js'
import {BaseCommand} from '../cli/shell/base-command.js'
import {EXITS} from '../cli/shell/exit-codes.js'
import {mayAsk} from '../cli/terminal/prompts/ask.js'
import {jsonResult} from '../cli/terminal/result.js'

export default class Reserve extends BaseCommand {
  static override summary = 'Book an offer'
  static override operations = {
    'reservations.create': '',
    'hotels.search': 'to search at a terminal',
    'content.cities': 'to find the city by name',
    'account.show': 'to show the balance',
    'reservations.show': 'to look at a booking',
    'voucher.show': 'to look at a booking',
  }
  static override description =
    `The reservation is recorded before it is sent, with its Idempotency-Key, on this machine or in the store that it shares:
running the same command again, even after it was killed, never books twice. With --unless-booked, a client reference that is
booked already prints that reservation, whatever the rest of the request says. If the answer is lost the exit code is ${EXITS.outcome_unknown.code}, and --resume finds out what happened.
The input file is the service's request, with the fields that --template prints; flags override it. In --guest, write an
identity number as tc=… or passport=…; type defaults to ADULT, nationality to the client's, and the first guest leads. At a
terminal, missing values are asked for: without arguments that is the whole booking, from the search to the voucher, and
nothing is sent before you confirm. Guests are stored on this machine only if you agree; the list of guests offers to forget
them, and logout --all forgets all.`
  static override examples = [
    'bookctl reserve off_… --pay account --guest name=Ayşe,surname=Öğüt,birth_date=1990-02-03,gender=FEMALE,tc=10000000146 --guest name=Can,surname=Öğüt,birth_date=1988-07-12,gender=MALE,passport=U1234567 --contact name=Ayşe,surname=Öğüt,email=ayse@example.com,phone_country_code=+90,phone_number=5321234567',
    'bookctl reserve --input reservation.json --client-reference TRIP-7 --max-price 900 --dry-run',
    'bookctl reserve --template',
  ]
  static override columns = RESERVATION_COLUMNS
  static override candidates = {offer_id: 'offers', resume: 'client-references'} as const
  static override args = {offer_id: Args.string({description: 'offer id from hotels search'})}
  static override flags = reserveFlags

  protected override async alsoWrong(
    {args, flags}: {args: {offer_id?: string}; flags: ReserveFlags & {template?: boolean}},
    refused: readonly string[],
  ) {
    if (flags.resume !== undefined || refused.includes('resume') || flags.template) return []
    const given = {...flags, preferred: await this.preferences()}
    const typed = await readTyped(args.offer_id, given, {refused})
    return mistakesIn(mayAsk(this.globals) ? {...typed, lacking: []} : typed)
  }

  async run(): Promise<void> {
    const {args, flags} = await this.parse(Reserve)
    if (flags.template) return this.print(jsonResult(TEMPLATE))
    const given = {...flags, preferred: await this.preferences(), service: this.serviceFlags()}
    const openWizard: OpenWizard = async (pipeline, typed) =>
      (await import('../cli/features/wizard/wizard.js')).openWizard(pipeline, typed)
    const canAsk = mayAsk(this.globals) && flags.input !== '-'
    await new ReservePipeline(this, given).run(args.offer_id, canAsk ? openWizard : undefined)
  }
}
