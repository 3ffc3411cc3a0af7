import {HOTEL_COLUMNS, show} from '../../cli/features/catalogue/hotels.js'
import {identifierArg} from '../../cli/input/flags.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class HotelsShow extends BaseCommand {
  static override summary = 'Show one hotel'
  static override operations = {'hotels.show': ''}
  static override description = `With --json the whole hotel, as the service sent it.
${pathNote(HotelsShow.operations)}`
  static override examples = [
    'bookctl hotels show 1010001',
    'bookctl hotels show 1010001 --query hotel.facilities',
  ]
  static override columns = HOTEL_COLUMNS.map(column => column.name)
  static override args = {
    hotel_id: identifierArg('other')({
      required: true,
      description: "id of the hotel, as in the service's own offer (raw)",
    }),
  }

  async run(): Promise<void> {
    const {args} = await this.parse(HotelsShow)
    await this.print(await show(await this.connect(), args.hotel_id))
  }
}
