/** The offers of the last searches, so that an assistant gets a page at a time without another search. */
import {randomBytes} from 'node:crypto'
import {usage} from '../../../contract/failure.js'

/** How many offers one result has at most. More would not help to choose. */
export const OFFERS_A_PAGE = 20
/** How many searches are kept. Older ones have to be made again. */
const MOST_SEARCHES = 20
/** How many offers of one search are kept. */
const MOST_OFFERS = 2000

interface Search {
  /** What was searched and how it was filtered, as canonical JSON. */
  readonly wish: string
  readonly head: object
  readonly offers: readonly object[]
  /** Unix seconds. */
  readonly expiresAt: number
}

export class OfferPages {
  private readonly searches = new Map<string, Search>()

  constructor(private readonly now: () => number) {}

  /** Keeps a search and returns its first page of `size` offers. */
  open(search: Search, size: number) {
    const id = randomBytes(9).toString('hex')
    this.searches.set(id, {...search, offers: search.offers.slice(0, MOST_OFFERS)})
    const [oldest] = this.searches.keys()
    if (oldest !== undefined && this.searches.size > MOST_SEARCHES) this.searches.delete(oldest)
    return this.page(id, 0, size)
  }

  /**
   * Returns the page at `cursor`. Throws a usage error if the cursor is unknown, if its offers have expired, or if `wish` is given
   * and another search had it.
   */
  read(cursor: string, wish: string | undefined, size: number) {
    const [, id = '', start = ''] = /^([\da-f]{18})\.(\d{1,6})$/.exec(cursor) ?? []
    const search = this.searches.get(id)
    if (search === undefined || search.expiresAt <= this.now())
      throw usage(
        'cursor_expired',
        'cursor: these offers are no longer kept',
        'search again, without a cursor',
      )
    if (wish !== undefined && wish !== search.wish)
      throw usage(
        'cursor_of_another_search',
        'cursor: it belongs to a search with other arguments',
        'leave the cursor out to search again, or repeat the arguments of that search',
      )
    return this.page(id, Number(start), size)
  }

  private page(id: string, start: number, size: number) {
    const {head, offers} = this.searches.get(id) as Search
    const end = start + size
    const next = end < offers.length ? `${id}.${end}` : null
    return {...head, offers: offers.slice(start, end), found: offers.length, next_cursor: next}
  }
}
