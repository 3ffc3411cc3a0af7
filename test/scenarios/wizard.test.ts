/** The booking wizard at a real terminal of 80 columns and 24 rows; what it asks and answers is tested in test/cli/wizard. */
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, describe, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {serveLocalSandbox} from '../support/served-sandbox.js'
import {atTerminal, type TerminalOptions, type TerminalRun} from '../support/terminal.js'

const sandbox = await serveLocalSandbox()
const {home} = sandbox
afterAll(() => sandbox.stop())

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
const PAYMENT = ['Payment', '\r'] as const
const REFERENCE = ['booking reference', '\r'] as const
const STORE = ['Store these guests', '\r'] as const
const PEOPLE = [...GUEST, ...CONTACT]
const ALL = [...SEARCH, ...PEOPLE, PAYMENT, REFERENCE, STORE]

type Answers = readonly (readonly [asked: string, typed: string])[]

async function answer(terminal: TerminalRun, answers: Answers): Promise<void> {
  for (const [asked, typed] of answers) {
    await terminal.waitFor(asked)
    terminal.type(typed)
  }
}

const start = (argv: readonly string[] = ['reserve'], options: TerminalOptions = {}) =>
  atTerminal(home, argv, options)

const reservationsSent = async () =>
  (await sandbox.requests()).filter(line => /^POST .*\/reservations\/hotel$/.test(line))

describe('Ctrl-C before the reservation leaves nothing sent', () => {
  const questions = [...ALL, ['Reserve this now', '']] as const
  test.each([0, SEARCH.length + 2, ALL.length].map(at => [questions[at]?.[0] ?? '', at] as const))(
    'at %s',
    async (asked, at) => {
      const terminal = start()
      await answer(terminal, ALL.slice(0, at))
      await terminal.waitFor(asked)
      terminal.press('ctrl-c')
      expect(await terminal.exit).toBe(130)
      expect(terminal.screen()).toContain('nothing was sent')
      expect(await reservationsSent()).toEqual([])
    },
  )
})

test('a person who has never seen it books a room with nothing but the questions', async () => {
  const terminal = start()
  await answer(terminal, [...SEARCH, ...PEOPLE, PAYMENT, REFERENCE, ['Store these guests', '3\r']])
  await terminal.waitFor('Reserve this now (TEST)?')
  await terminal.waitFor(/This offer: 1\d:\d\d left/)
  const screen = terminal.screen()
  for (const shown of ['Hotel', 'Due at hotel', 'hotel time', 'your time', 'UTC', 'Istanbul (101)'])
    expect(screen).toContain(shown)
  expect(screen).toContain('2030-06-04, 3 nights')
  expect(screen).toMatch(/^Due at hotel {2}.*\(Local visitor fee, .*\n {14}\S/m)
  expect(screen).toMatch(/Guests +Ayşe Öğüt, born 1990-02-03, TR, TC 10000000146, leads/)
  expect(screen).toMatch(/Service +TEST: no real money/)
  terminal.type('y\r')
  await terminal.waitFor('Download the voucher')
  terminal.type('\r')
  expect(await terminal.exit).toBe(0)
  const reference = /^reservation:\s+(\S+)/m.exec(terminal.screen())?.[1]
  expect(existsSync(join(home.directory, `voucher-${reference}.pdf`))).toBe(true)
})

describe('the guests of before are offered again, and an instant payment is waited for', () => {
  /** Up to the wait, in which the reservation has a reference. */
  async function reachWait(options?: TerminalOptions) {
    const terminal = start(['reserve', '--pay', 'instant'], options)
    await answer(terminal, [
      ...SEARCH,
      ['who is it?', '\r'],
      ['Who should the hotel contact?', '\r'],
      REFERENCE,
    ])
    await terminal.waitFor('Reserve this now')
    expect(terminal.screen()).toMatch(/Guests +Ayşe Öğüt, born 1990-02-03, TR, TC 10000000146/)
    terminal.type('yes\r')
    await terminal.waitFor('Pay at http')
    await terminal.waitFor(/Waiting for 0:0\d; (RSV-\w+)/)
    return {terminal, reference: /RSV-\w+/.exec(terminal.screen())?.[0] ?? ''}
  }

  const pay = (reference: string, result: 'paid' | 'failed') =>
    sandbox.control('POST', `payments/${reference}`, {result})

  test('Ctrl-C while waiting says that the reservation exists and how to go on', async () => {
    const {terminal} = await reachWait()
    // Longer than it takes until a line of progress would be drawn over the question.
    await terminal.waitFor(/Waiting for 0:0[3-9]/)
    const asked = terminal.raw().split('press Enter to stop waiting').slice(1).join('')
    expect(asked).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u)
    terminal.press('ctrl-c')
    expect(await terminal.exit).toBe(130)
    expect(terminal.screen()).toMatch(/the reservation RSV-\w+ was made/)
    expect(terminal.raw()).toMatch(/bookctl reserve --resume bk-\w+ --wait/)
  })

  test('Ctrl-C at the voucher, after a decline and the payment, says that it is confirmed; NO_COLOR holds', async () => {
    const {terminal, reference} = await reachWait({env: {NO_COLOR: '1'}})
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
    expect(said).toContain(`bookctl voucher download ${reference}`)
    expect(said).not.toMatch(/pending_payment|to restart/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of colours and weights.
    expect(terminal.raw()).not.toMatch(/\u001b\[[\d;]*[1-9][\d;]*m/)
  })
})

test('in the accessible mode there is no escape sequence at all', async () => {
  const own = new Home(sandbox.env)
  const terminal = atTerminal(own, ['reserve', '--dry-run'], {env: {BOOKCTL_ACCESSIBLE: '1'}})
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
  own.remove()
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
