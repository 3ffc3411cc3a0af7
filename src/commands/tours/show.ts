import {show, TOUR_COLUMNS} from '../../cli/features/catalogue/tours.js'
import {identifierArg} from '../../cli/input/flags.js'
import {pathNote} from '../../cli/session/own-paths.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ToursShow extends BaseCommand {
  static override summary = 'Show one tour'
  static override operations = {'tours.show': ''}
  static override description = pathNote(ToursShow.operations)
  static override examples = [
    'bookctl tours show tour_101_01',
    'bookctl tours show tour_101_01 --query tour.duration_minutes',
  ]
  static override columns = TOUR_COLUMNS.map(column => column.name)
  static override args = {
    tour_id: identifierArg('other')({
      required: true,
      description: 'id of the tour, as printed by tours search',
    }),
  }

  async run(): Promise<void> {
    const {args} = await this.parse(ToursShow)
    await this.print(await show(await this.connect(), args.tour_id))
  }
}
