import {HOTEL_COLUMNS, show} from '../../cli/features/catalogue/hotels.js'
import {identifierArg} from '../../cli/input/flags.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class HotelsShow extends BaseCommand {
  static override summary = 'Show one hotel.'
  static override description = `With --json it is the hotel whole, as the service sent it.
The interface does not show this path: it works against the local sandbox, and elsewhere where the profile names it in
config.json: "paths": {"hotels.show": "…"}. Needs the scope hotels:read. Environment: those of every command.`
  static override examples = [
    'bookctl hotels show 1010001',
    'bookctl hotels show 1010001 --query hotel.facilities',
  ]
  static override columns = HOTEL_COLUMNS.map(column => column.name)
  static override args = {
    hotel_id: identifierArg('other')({
      required: true,
      description: "id of the hotel, as the service's own offer (raw) has it",
    }),
  }

  async run(): Promise<void> {
    const {args} = await this.parse(HotelsShow)
    await this.print(await show(await this.connect(), args.hotel_id))
  }
}
