import {PRICE_COLUMNS, price} from '../../cli/features/catalogue/hotels.js'
import {identifierArg} from '../../cli/input/flags.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class HotelsPrice extends BaseCommand {
  static override summary = 'Show what an offer costs now'
  static override operations = {'hotels.price': ''}
  static override description =
    `Also shows the price that this machine saw in its search, and for how long the offer can still be reserved.
${pathNote(HotelsPrice.operations)}`
  static override examples = [
    'bookctl hotels price off_…',
    'bookctl hotels price off_… --query "[changed, offer.price.total]"',
  ]
  static override columns = PRICE_COLUMNS.map(column => column.name)
  static override candidates = {offer_id: 'offers'} as const
  static override args = {
    offer_id: identifierArg('offer_id')({
      required: true,
      description: 'id of the offer, as printed by hotels search',
    }),
  }

  async run(): Promise<void> {
    const {args} = await this.parse(HotelsPrice)
    await this.print(await price(await this.connect(), args.offer_id))
  }
}
