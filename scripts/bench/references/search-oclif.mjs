// `hotels search` as it is commonly written: one oclif command, with all it uses imported at the top. It reads a cached
// token from a database, makes the request, checks the answer, and prints a line for each offer.
import {Command, Flags} from '@oclif/core'
import Database from 'libsql'
import stringWidth from 'string-width'
import {request} from 'undici'
import {z} from 'zod'

const OFFER = z.looseObject({
  offer_id: z.string(),
  hotel: z.looseObject({name: z.string(), stars: z.number()}),
  price: z.looseObject({total: z.string(), currency: z.string()}),
})
const ANSWER = z.looseObject({data: z.looseObject({offers: z.array(OFFER)})})

class Search extends Command {
  static flags = {
    city: Flags.integer({required: true}),
    'check-in': Flags.string({required: true}),
    nights: Flags.integer({required: true}),
    nationality: Flags.string({required: true}),
    currency: Flags.string({required: true}),
  }

  async run() {
    const {flags} = await this.parse(Search)
    const database = new Database(process.env.TOKEN_DATABASE)
    database.exec('CREATE TABLE IF NOT EXISTS tokens (token TEXT)')
    const {token} = database.prepare('SELECT token FROM tokens').get() ?? {token: 'at_bench'}
    const {body} = await request(`${process.env.BOOKCTL_BASE_URL}/hotels/search`, {
      method: 'POST',
      headers: {authorization: `Bearer ${token}`, 'content-type': 'application/json'},
      body: JSON.stringify({
        destination: {type: 'CITY', id: flags.city},
        check_in: flags['check-in'],
        check_out: '2030-06-04',
        rooms: [{adults: 2, children_ages: []}],
        client_nationality: flags.nationality,
        currency: flags.currency,
      }),
    })
    const {data} = ANSWER.parse(await body.json())
    for (const {offer_id, hotel, price} of data.offers) {
      const gap = ' '.repeat(Math.max(0, 30 - stringWidth(hotel.name)))
      this.log(`${offer_id}  ${hotel.name}${gap}  ${price.total} ${price.currency}`)
    }
  }
}

await Search.run(process.argv.slice(4), import.meta.url)
