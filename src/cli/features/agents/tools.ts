/** The tools of the server for agents, in the order in which a trip needs them. */
import {columnsOf, type Result} from '../../terminal/result.js'
import {showAccountTool} from './account-tools.js'
import {cancelReservation, prepareCancellation, prepareReservation, reserve} from './booking-tools.js'
import {searchHotels, showOffer} from './hotel-tools.js'
import {downloadVoucher, listReservations, showReservation} from './reservation-tools.js'
import {type Change, listed, type Tool} from './tool.js'
import {explainSignature, explainTool, recentEvents} from './webhook-tools.js'

const TOOLS: readonly Tool[] = [
  searchHotels,
  showOffer,
  prepareReservation,
  reserve,
  showReservation,
  listReservations,
  downloadVoucher,
  prepareCancellation,
  cancelReservation,
  showAccountTool,
  explainTool,
  recentEvents,
  explainSignature,
]

/** Returns the tools that are listed when the changes in `allowed` may be made. */
export function toolsFor(allowed: readonly Change[]): Tool[] {
  return TOOLS.filter(({change}) => change === undefined || allowed.includes(change))
}

export const TOOL_COLUMNS = ['name', 'title', 'changes'] as const

/** Returns the tools for `mcp tools`; the document is the result of `tools/list`. */
export function toolList(allowed: readonly Change[]): Result<Record<(typeof TOOL_COLUMNS)[number], string>> {
  const tools = toolsFor(allowed)
  const items = tools.map(({name, title, change}) => ({name, title, changes: change ?? 'nothing'}))
  return {document: {tools: tools.map(listed)}, items, columns: columnsOf(TOOL_COLUMNS)}
}
