/** Texts of the service that would move a cursor, forge a line or hide an address, at a real terminal. */
import {afterAll, beforeAll, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {ScriptedService} from '../support/scripted-service.js'
import {SEARCH} from '../support/stay.js'
import {atTerminal} from '../support/terminal.js'

/** Clears the screen, goes up, writes a title, begins a line, turns the reading order, hides what follows. */
const HOSTILE =
  'Otel\u001b[2J\u001b[1A\u001b]0;title\u0007\r\nError: forged\u009b31m\u202e\u2066\u200b\u{e0041}\u0008end'
const RECORD = {
  offer_id: 'off_a',
  hotel_name: HOSTILE,
  room_name: HOSTILE,
  board: HOSTILE,
  name: HOSTILE,
  reservation_ref: 'RSV-1',
  status: HOSTILE,
}
const BODY = {data: {...RECORD, offers: [RECORD], reservations: [RECORD]}}

let service: ScriptedService
let refusing: ScriptedService
beforeAll(async () => {
  service = await ScriptedService.answering({status: 200, body: JSON.stringify(BODY)})
  const error = {code: HOSTILE, message: HOSTILE, details: [{field: HOSTILE, message: HOSTILE}]}
  refusing = await ScriptedService.answering({status: 422, body: JSON.stringify({error})})
})
afterAll(async () => {
  await service.close()
  await refusing.close()
})

const ESCAPE = '\u001b'

test.each([
  ['answer', ['account']],
  ['answer', SEARCH],
  ['answer', ['reservations', 'list']],
  ['answer', ['api', 'GET', '/account']],
  ['answer', [...SEARCH, '--query', 'offers[0].hotel_name']],
  ['refusal', ['account']],
] as const)('are harmless in an %s to %j', async (kind, argv) => {
  const home = new Home({
    BOOKCTL_BASE_URL: (kind === 'answer' ? service : refusing).baseUrl,
    BOOKCTL_CLIENT_ID: 'cid_odd',
    BOOKCTL_CLIENT_SECRET: 'sk_test_odd',
  })
  const terminal = atTerminal(home, [...argv, '--verbose'], {columns: 200})
  await terminal.exit
  home.remove()
  // Our own: colours, and taking the line of progress away.
  const text = terminal
    .raw()
    .replaceAll(new RegExp(`${ESCAPE}\\[\\d*m`, 'g'), '')
    .replaceAll('\r\u001b[K', '')
    .replaceAll('\r\n', '')
  expect(text).toMatch(/^[^\p{Cc}\p{Cf}]*$/u)
  expect(terminal.screen()).not.toMatch(/^Error: forged/m)
  expect(text).toMatch(/end|Error/)
})
