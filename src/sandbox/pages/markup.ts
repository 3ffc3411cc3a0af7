/** Pieces of HTML. Every value put into hono's template is escaped, unless it is itself such a piece. */
import type {html} from 'hono/html'

export type Piece = ReturnType<typeof html>

/** The text of a whole page. A template becomes a promise only if something in it is one, and nothing here is. */
export function textOf(page: Piece): string {
  if (page instanceof Promise) throw new TypeError('a page must be made at once')
  return page.toString()
}
