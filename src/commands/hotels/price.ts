import {PRICE_COLUMNS, price} from '../../cli/features/catalogue/hotels.js'
import {identifierArg} from '../../cli/input/flags.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class HotelsPrice extends BaseCommand {
  static override summary = 'Ask what an offer costs now.'
  static override description =
    `Beside the price now stands the one this machine saw in its search, and for how long the offer can still be reserved.
The interface does not show this path: it works against the local sandbox, and elsewhere where the profile names it in
config.json: "paths": {"hotels.price": "…"}. Needs the scope hotels:read. Environment: those of every command.`
  static override examples = [
    'bookctl hotels price "$OFFER"',
    'bookctl hotels price "$OFFER" --query "[changed, offer.price.total]"',
  ]
  static override columns = PRICE_COLUMNS.map(column => column.name)
  static override candidates = {offer_id: 'offers'} as const
  static override args = {
    offer_id: identifierArg('offer_id')({
      required: true,
      description: 'id of the offer, as hotels search prints it',
    }),
  }

  async run(): Promise<void> {
    const {args} = await this.parse(HotelsPrice)
    await this.print(await price(await this.connect(), args.offer_id))
  }
}
