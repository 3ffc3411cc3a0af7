/**
 * The booking wizard in a real terminal of 80 columns and 24 rows. Its questions and answers are tested in
 * test/cli/features/wizard.
 */
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {type Line, said} from '../cli/features/wizard/scripted-prompts.js'
import {ownDirectory} from '../support/own.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {atTerminal, type TerminalRun} from '../support/terminal.js'

const sandbox = await sandboxOfFile()
const {home} = sandbox

/** Parses a script whose answers are typed with Enter. */
const typed = (script: TemplateStringsArray) =>
  said(script).map(([asked, answer]) => [asked, `${answer}\r`] as const)

/** The questions for a new user, and the answers. */
const SEARCH = typed`City → istan | Check-in → 2030-06-01 | Check-out → 3 | Number of rooms → | Adults → 1
  Number of children → | Nationality → turk | Currency → | Offer ( →`
const GUEST = typed`first name → Ayşe | family name → Öğüt | birth date → 1990-02-03 | gender → | nationality →
  identity document → | TC number → 10000000146`
const CONTACT = typed`Contact: first name → | Contact: family name → | e-mail → ayse@example.com
  telephone → 0532 123 45 67`
const PAYMENT = ['Payment', '\r'] as const
const REFERENCE = ['booking reference', '\r'] as const
const STORE = ['Store these guests', '\r'] as const
const PEOPLE = [...GUEST, ...CONTACT]
const ALL = [...SEARCH, ...PEOPLE, PAYMENT, REFERENCE, STORE]

type Answers = readonly Line[]

async function answer(terminal: TerminalRun, answers: Answers): Promise<void> {
  for (const [asked, typed] of answers) {
    await terminal.waitFor(asked)
    terminal.type(typed)
  }
}

const start = (argv: readonly string[] = ['reserve']) => atTerminal(home, argv)

test('Ctrl-C before the reservation leaves nothing sent', async () => {
  const terminal = start()
  await answer(terminal, ALL)
  await terminal.waitFor('Reserve this now')
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  expect(terminal.screen()).toContain('nothing was sent')
  expect((await sandbox.requests()).filter(line => line.endsWith('/reservations/hotel'))).toEqual([])
})

test('a new user books a room by answering the questions', async () => {
  const terminal = start()
  await answer(terminal, [...SEARCH, ...PEOPLE, PAYMENT, REFERENCE, ['Store these guests', '3\r']])
  await terminal.waitFor(/Reserve this now for \d+\.\d\d EUR \(TEST\)\?/)
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
  expect(terminal.screen()).toMatch(new RegExp(`^voucher: +voucher-${reference}.pdf`, 'm'))
  expect(existsSync(join(home.directory, `voucher-${reference}.pdf`))).toBe(true)
})

test('stored guests are offered again; Ctrl-C while waiting for a payment names the reservation', async () => {
  const terminal = start(['reserve', '--pay', 'instant'])
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
  // There is no QR code, because a phone cannot reach the sandbox on this machine.
  expect(terminal.raw()).not.toMatch(/[▀▄█]/)
  // Longer than the delay after which a progress line would be drawn over the question.
  await terminal.waitFor(/Waiting for 0:0[3-9]; (RSV-\w+)/)
  const asked = terminal.raw().split('press Enter to stop waiting').slice(1).join('')
  expect(asked).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u)
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  expect(terminal.screen()).toMatch(/the reservation RSV-\w+ was made/)
  expect(terminal.raw()).toMatch(/bookctl reserve --resume bk2-\w+ --wait/)
})

test('at 40 columns a list cuts no fee; after Escape no old answer is above the new one, and a resize draws again', async () => {
  const terminal = atTerminal(home, ['reserve', '--nationality', 'TR'], {
    columns: 40,
    rows: 30,
    // A new configuration directory, so that no guest of an earlier booking is offered.
    env: {BOOKCTL_CONFIG_DIR: ownDirectory()},
  })
  await answer(
    terminal,
    SEARCH.filter(([asked]) => !/Nationality|Offer/.test(String(asked))),
  )
  // The countdown redraws the list each second.
  const fee = String.raw`Due\s+at\s+hotel:\s+\d+\.\d\d\s+TRY\s+\(.*paid\s+at\s+the\s+hotel\).*on\s+costs\s+\d+\.\d\d\s+EUR`
  await terminal.waitFor(new RegExp(`Offer \\(.*${fee}.*your time.*: 1\\d:\\d\\d left`, 's'))
  terminal.resize(60, 30)
  // At 40 columns no row has space for the board.
  await terminal.waitFor(/Offer \(.*\d\* +(RO|BB|HB) .*your time.*: 1\d:\d\d left/s)
  expect(terminal.screen().match(/Offer \(/g)).toHaveLength(1)
  terminal.type('\r')
  await terminal.waitFor('first name')
  terminal.type('Ali\r')
  await terminal.waitFor('family name')
  terminal.press('escape')
  await terminal.waitFor('first name (Ali)')
  expect(terminal.screen().match(/first name/g)).toHaveLength(1)
  terminal.press('escape')
  await terminal.waitFor(/Offer \(.*your time.*: 1\d:\d\d left/s)
  expect(terminal.screen().match(/Offer \(/g)).toHaveLength(1)
  terminal.type('\r')
  await terminal.waitFor('first name (Ali)')
  terminal.type('\r')
  await terminal.waitFor('family name')
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  const said = terminal.screen().replaceAll(/[\\\s]+/g, ' ')
  expect(said).toMatch(
    /bookctl reserve off_\S+ --nationality TR --guest type=ADULT,name=Ali,is_lead=true To search/,
  )
  expect(said).toMatch(
    /bookctl hotels search --city 101 --check-in 2030-06-01 --check-out 2030-06-04 --room 1/,
  )
})

test('a stopped wizard prints the commands that continue at the same service, with --dry-run if it was given', async () => {
  const url = home.env.BOOKCTL_BASE_URL ?? ''
  const terminal = atTerminal(home, ['reserve', '--base-url', url, '--max-price', '9000 EUR', '--dry-run'], {
    columns: 200,
    env: {BOOKCTL_CONFIG_DIR: ownDirectory()},
  })
  await answer(terminal, [...SEARCH, ['first name', 'Ali\r']])
  await terminal.waitFor('family name')
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  const common = `--max-price '9000 EUR'`
  expect(terminal.screen()).toMatch(
    new RegExp(`bookctl reserve off_\\S+ .*name=Ali.* ${common} --dry-run --base-url ${url}$`, 'm'),
  )
  expect(terminal.screen()).toMatch(
    new RegExp(`bookctl hotels search --city 101 .* ${common} --base-url ${url}$`, 'm'),
  )
})

test('hotels search that is stopped at a question prints the command with the answers so far', async () => {
  const url = home.env.BOOKCTL_BASE_URL ?? ''
  const argv = ['hotels', 'search', '--base-url', url, '--refundable', '--sort', 'stars']
  const terminal = atTerminal(home, argv, {columns: 200})
  await answer(terminal, SEARCH.slice(0, 2))
  await terminal.waitFor('Check-out')
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  expect(terminal.screen()).toContain(
    `bookctl hotels search --city 101 --check-in 2030-06-01 --sort stars --refundable --base-url ${url}`,
  )
})

test('hotels search asks for what is missing, and shows the command that needs no asking', async () => {
  const terminal = start(['hotels', 'search', '--city', '101', '--limit', '2', '--nationality', 'TR'])
  await answer(terminal, [...SEARCH.slice(1, 6), ['Currency', '\r']])
  expect(await terminal.exit).toBe(0)
  expect(terminal.raw()).toContain('bookctl hotels search --city 101 --check-in 2030-06-01')
  expect(terminal.screen()).toContain('off_')
})

test('tours search asks for the city by its name', async () => {
  const terminal = start(['tours', 'search', '--limit', '2'])
  await answer(terminal, [
    ['City', 'istan\r'],
    ['Currency', '\r'],
  ])
  expect(await terminal.exit).toBe(0)
  expect(terminal.raw()).toContain('bookctl tours search --city 101 --currency EUR')
})
