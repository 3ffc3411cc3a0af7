/** The booking wizard at a real terminal of 80 columns and 24 rows, against a real local sandbox. */
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {type LocalSandbox, startLocalSandbox} from '../support/local-sandbox.js'
import {atTerminal, type TerminalOptions, type TerminalRun} from '../support/terminal.js'

let sandbox: LocalSandbox
let home: Home

beforeAll(async () => {
  sandbox = await startLocalSandbox()
})
afterAll(() => sandbox.stop())
beforeEach(() => {
  home = new Home(sandbox.env)
})
afterEach(() => home.remove())

/** What a newcomer is asked, and types. */
const SEARCH = [
  ['City', 'istan\r'],
  ['Check-in', '2030-06-01\r'],
  ['Check-out', '3\r'],
  ['Number of rooms', '\r'],
  ['Adults', '1\r'],
  ['Ages of the children', '\r'],
  ['Nationality', 'turk\r'],
  ['Currency', '\r'],
  ['Offer (', '\r'],
] as const
const GUEST = [
  ['first name', 'Ayşe\r'],
  ['family name', 'Öğüt\r'],
  ['birth date', '1990-02-03\r'],
  ['gender', '\r'],
  ['nationality', '\r'],
  ['identity document', '\r'],
  ['TC number', '10000000146\r'],
] as const
const CONTACT = [
  ['Contact: first name', '\r'],
  ['Contact: family name', '\r'],
  ['e-mail', 'ayse@example.com\r'],
  ['telephone', '0532 123 45 67\r'],
] as const
const END = [
  ['Payment', '\r'],
  ['booking reference', '\r'],
  ['Store these guests', '\r'],
] as const
const ALL = [...SEARCH, ...GUEST, ...CONTACT, ...END]

type Answers = readonly (readonly [asked: string, typed: string])[]

async function answer(terminal: TerminalRun, answers: Answers): Promise<void> {
  for (const [asked, typed] of answers) {
    await terminal.waitFor(asked)
    terminal.type(typed)
  }
}

const start = (argv: readonly string[] = ['reserve'], options: TerminalOptions = {}) =>
  atTerminal(home, argv, options)

/** Reservations asked for at the sandbox. */
async function reservationsSent(): Promise<number> {
  const answered = await fetch(`${sandbox.origin}/_sandbox/requests`)
  const {data} = (await answered.json()) as {data: {method: string; path: string}[]}
  return data.filter(({method, path}) => method === 'POST' && path.endsWith('/reservations/hotel')).length
}

async function pay(reference: string, result: 'paid' | 'failed'): Promise<void> {
  await fetch(`${sandbox.origin}/_sandbox/payments/${reference}`, {
    method: 'POST',
    headers: {'content-type': 'application/json'},
    body: JSON.stringify({result}),
  })
}

test('a person who has never seen it books a room with nothing but the questions', async () => {
  const terminal = start()
  await answer(terminal, ALL)
  await terminal.waitFor('Reserve this now (TEST)?')
  await terminal.waitFor(/This offer: 1\d:\d\d left/)
  const screen = terminal.screen()
  for (const shown of [
    'Hotel',
    'Due at hotel',
    'hotel time',
    'your time',
    'UTC',
    '2030-06-04, 3 nights',
    'Istanbul (101)',
  ]) {
    expect(screen).toContain(shown)
  }
  expect(screen).toMatch(/^Due at hotel {2}.*\(Local visitor fee, .*\n {14}\S/m)
  expect(screen).toMatch(/Guests +Ayşe Öğüt, born 1990-02-03, TR, TC 10000000146, leads/)
  expect(screen).toMatch(/Service +TEST: no real money/)
  terminal.type('y\r')
  await terminal.waitFor('Download the voucher')
  terminal.type('\r')
  expect(await terminal.exit).toBe(0)
  const reference = /reservation_ref:\s+(\S+)/.exec(terminal.screen())?.[1]
  expect(existsSync(join(home.directory, `voucher-${reference}.pdf`))).toBe(true)
})

test('paid by the customer while the wizard waits', async () => {
  const terminal = start(['reserve', '--pay', 'instant'])
  await answer(
    terminal,
    ALL.filter(([asked]) => asked !== 'Payment'),
  )
  await answer(terminal, [['Reserve this now', 'yes\r']])
  await terminal.waitFor('Pay at http')
  await terminal.waitFor('Waiting for the payment')
  await terminal.waitFor(/Waiting for \d:\d\d; (RSV-\w+)/)
  const reference = /RSV-\w+/.exec(terminal.screen())?.[0] ?? ''
  await pay(reference, 'paid')
  await answer(terminal, [['Download the voucher', 'n\r']])
  expect(await terminal.exit).toBe(0)
  expect(terminal.screen()).toMatch(/outcome:\s+confirmed/)
})

test('Ctrl-C while waiting for the payment says that the reservation exists and how to go on', async () => {
  const terminal = start(['reserve', '--pay', 'instant'])
  await answer(
    terminal,
    ALL.filter(([asked]) => asked !== 'Payment'),
  )
  await answer(terminal, [['Reserve this now', 'yes\r']])
  // Longer than it takes until a line of progress would be drawn over the question.
  await terminal.waitFor(/Waiting for 0:0[3-9]/)
  const asked = terminal.raw().split('press Enter to stop waiting').slice(1).join('')
  expect(asked).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u)
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  expect(terminal.screen()).toMatch(/the reservation RSV-\w+ was made/)
  expect(terminal.raw()).toMatch(/bookctl reserve --resume bk-\w+ --wait/)
})

test('after the payment, Ctrl-C at the voucher says that it is confirmed, and nowhere that it is to be paid', async () => {
  const terminal = start(['reserve', '--pay', 'instant'])
  await answer(
    terminal,
    ALL.filter(([asked]) => asked !== 'Payment'),
  )
  await answer(terminal, [['Reserve this now', 'yes\r']])
  await terminal.waitFor(/Waiting for \d:\d\d; (RSV-\w+)/)
  const reference = /RSV-\w+/.exec(terminal.screen())?.[0] ?? ''
  await pay(reference, 'failed')
  await terminal.waitFor(`${reference} is pending_payment, payment declined`)
  await pay(reference, 'paid')
  await terminal.waitFor('Download the voucher')
  const before = terminal.raw().length
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  // The message may be wrapped.
  const said = terminal.raw().slice(before).replaceAll(/\s+/g, ' ')
  expect(said).toContain(`the reservation ${reference} was made (confirmed)`)
  expect(said).not.toContain('pending_payment')
})

test('Ctrl-C at the voucher says that the reservation exists and how to have the voucher', async () => {
  const terminal = start()
  await answer(terminal, [...ALL, ['Reserve this now', 'y\r']])
  await terminal.waitFor('Download the voucher')
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  expect(terminal.raw()).toMatch(/bookctl voucher download RSV-\w+/)
  expect(terminal.raw()).not.toContain('to restart')
})

describe('Ctrl-C leaves nothing sent', () => {
  const questions = [...ALL.map(([asked]) => asked), 'Reserve this now']
  test.each(questions.map((asked, index) => [asked, index] as const))('at %s (%i)', async (asked, index) => {
    const before = await reservationsSent()
    const terminal = start()
    await answer(terminal, ALL.slice(0, index))
    await terminal.waitFor(asked)
    terminal.press('ctrl-c')
    expect(await terminal.exit).toBe(130)
    expect(terminal.screen()).toContain('nothing was sent')
    expect(await reservationsSent()).toBe(before)
  })
})

test('Escape goes back inside the guests, through the contact and from the confirmation', async () => {
  const terminal = start()
  await answer(terminal, ALL)
  await terminal.waitFor('Reserve this now')
  await terminal.waitFor('Esc goes back')
  for (const asked of [
    'Store these',
    'booking reference',
    'Payment',
    'prefix (0532 123 45 67)',
    'e-mail (',
  ]) {
    terminal.press('escape')
    await terminal.waitFor(asked)
    await terminal.waitFor('Esc goes back')
  }
  for (const asked of [
    'family name (Öğüt)',
    'first name (Ayşe)',
    'TC number (10000000146)',
    'identity document',
  ]) {
    terminal.press('escape')
    await terminal.waitFor(asked)
    await terminal.waitFor('Esc goes back')
  }
  await answer(terminal, [
    ['', '\r'],
    ['TC number', '\r'],
    ['Contact: first name', '\r'],
    ['Contact: family name', '\r'],
    ['e-mail', 'new@example.com\r'],
    ['telephone', '\r'],
    ...END,
  ])
  await terminal.waitFor('Reserve this now')
  expect(terminal.screen()).toMatch(/Contact +Ayşe Öğüt, new@example\.com, \+90 5321234567/)
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
})

test('settings are offered: nationality, currency and each part of the contact', async () => {
  for (const [key, value] of [
    ['nationality', 'DE'],
    ['currency', 'USD'],
    ['contact.email', 'desk@example.com'],
    ['contact.surname', 'Desk'],
  ]) {
    expect((await home.run(['config', 'set', `${key}`, `${value}`], {})).exit).toBe(0)
  }
  const terminal = start()
  await answer(terminal, [
    ...SEARCH.slice(0, 6),
    ['Nationality', '\r'],
    ['Currency of the prices (USD)', '\r'],
    ['Offer (', '\r'],
  ])
  await answer(terminal, GUEST.slice(0, 5))
  await answer(terminal, [
    ['identity document', '4\r'],
    ['Contact: first name (Ayşe)', '\r'],
    ['Contact: family name (Desk)', '\r'],
    ['e-mail (desk@example.com)', '\r'],
    ['telephone', '+49 30 901820\r'],
    ...END,
  ])
  await terminal.waitFor('Reserve this now')
  expect(terminal.screen()).toMatch(/Guests +Ayşe Öğüt, born 1990-02-03, DE/)
  expect(terminal.screen()).toContain('Ayşe Desk, desk@example.com')
  terminal.press('ctrl-c')
  await terminal.exit
})

test('a date typed short is shown in full once it is taken, and a birth date that cannot be is refused', async () => {
  const terminal = start()
  await answer(terminal, SEARCH.slice(0, 3))
  await terminal.waitFor('Number of rooms')
  expect(terminal.screen()).toContain('3  3 nights, leaving Tue 2030-06-04')
  terminal.type('\r')
  await answer(terminal, [...SEARCH.slice(4), ...GUEST.slice(0, 2)])
  await terminal.waitFor('birth date')
  terminal.type('1990-13-03\r')
  await terminal.waitFor('must be a valid date')
  terminal.press('ctrl-u')
  terminal.type('1990-02-03\r')
  await terminal.waitFor('gender')
  expect(terminal.screen()).toContain('1990-02-03  Sat 1990-02-03, 40 years old at check-in')
  terminal.press('ctrl-c')
  await terminal.exit
})

test('an offer that expired on the way leads to the same search, with nothing typed twice', async () => {
  const terminal = start()
  await answer(terminal, ALL)
  await terminal.waitFor('Reserve this now')
  await fetch(`${sandbox.origin}/_sandbox/clock`, {
    method: 'POST',
    headers: {'content-type': 'application/json'},
    body: '{"advance_seconds": 960}',
  })
  terminal.type('y\r')
  await terminal.waitFor('expired')
  await terminal.waitFor('the room you chose is still available, at the same price')
  await answer(terminal, [
    ['Offer (', '\r'],
    ['Reserve this now', 'y\r'],
    ['Download the voucher', 'n\r'],
  ])
  expect(await terminal.exit).toBe(0)
})

test('people agreed to be kept are offered again', async () => {
  const first = start()
  await answer(first, ALL.slice(0, -1))
  await answer(first, [
    ['Store these guests', '3\r'],
    ['Reserve this now', 'y\r'],
    ['Download the voucher', 'n\r'],
  ])
  expect(await first.exit).toBe(0)
  const second = start()
  await answer(second, [
    ...SEARCH,
    ['who is it?', '\r'],
    ['Who should the hotel contact?', '\r'],
    ['Payment', '\r'],
    ['booking reference', '\r'],
  ])
  await second.waitFor('Reserve this now')
  expect(second.screen()).toMatch(/Guests +Ayşe Öğüt, born 1990-02-03, TR, TC 10000000146/)
  second.press('ctrl-c')
  expect(await second.exit).toBe(130)
})

test('without colour nothing is coloured, and nothing is lost', async () => {
  const terminal = start(['reserve', '--dry-run'], {env: {NO_COLOR: '1'}})
  await answer(terminal, ALL)
  expect(await terminal.exit).toBe(0)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of colours and weights.
  expect(terminal.raw()).not.toMatch(/\u001b\[[\d;]*[1-9][\d;]*m/)
})

test('in the accessible mode there is no escape sequence at all', async () => {
  const terminal = start(['reserve', '--dry-run'], {env: {BOOKCTL_ACCESSIBLE: '1'}})
  const spoken: Answers = [
    ['City', 'istan\r'],
    ...SEARCH.slice(1, 6),
    ['Nationality', 'Türkiye\r'],
    ['Currency', '\r'],
    ['Offer (', 'park\r'],
    ['Offer (', '1\r'],
    ...GUEST.slice(0, 3),
    ['Number from', '1\r'],
    ['nationality', 'Türkiye\r'],
    ['Number from', '1\r'],
    ['TC number', '10000000146\r'],
    ...CONTACT,
    ['Number from', '1\r'],
    ['booking reference', '\r'],
    ['Number from', '1\r'],
  ]
  await answer(terminal, spoken)
  expect(await terminal.exit).toBe(0)
  expect(terminal.raw()).not.toContain('\u001b')
  expect(terminal.raw()).toContain('"offer_id"')
})

test('hotels search asks for what is missing, and shows the command that needs no asking', async () => {
  const terminal = start(['hotels', 'search', '--city', '101', '--limit', '2', '--nationality', 'TR'])
  await answer(terminal, [...SEARCH.slice(1, 6), ['Currency', '\r']])
  expect(await terminal.exit).toBe(0)
  expect(terminal.raw()).toContain('bookctl hotels search --city 101 --check-in 2030-06-01')
  expect(terminal.screen()).toContain('off_')
})

test('tours search asks for the city by its name, and takes the name on the command line from then on', async () => {
  const terminal = start(['tours', 'search', '--limit', '2'])
  await answer(terminal, [
    ['City', 'istan\r'],
    ['Currency', '\r'],
  ])
  expect(await terminal.exit).toBe(0)
  expect(terminal.raw()).toContain('bookctl tours search --city 101 --currency EUR')
  const {exit, result} = await home.json<{search: {destination: {id: number}}}>(
    ['tours', 'search', '--city', 'ıstanbul', '--currency', 'EUR'],
    {},
  )
  expect([exit, result.search.destination.id]).toEqual([0, 101])
})
