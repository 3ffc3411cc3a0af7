import {show, TOUR_COLUMNS} from '../../cli/features/catalogue/tours.js'
import {identifierArg} from '../../cli/input/flags.js'
import {BaseCommand} from '../../cli/shell/base-command.js'

export default class ToursShow extends BaseCommand {
  static override summary = 'Show one tour.'
  static override description =
    `The interface does not show this path: it works against the local sandbox, and elsewhere where the profile names it in
config.json: "paths": {"tours.show": "…"}. Needs the scope tours:read. Environment: those of every command.`
  static override examples = [
    'bookctl tours show tour_101_01',
    'bookctl tours show tour_101_01 --query tour.duration_minutes',
  ]
  static override columns = TOUR_COLUMNS.map(column => column.name)
  static override args = {
    tour_id: identifierArg('other')({
      required: true,
      description: 'id of the tour, as tours search prints it',
    }),
  }

  async run(): Promise<void> {
    const {args} = await this.parse(ToursShow)
    await this.print(await show(await this.connect(), args.tour_id))
  }
}
