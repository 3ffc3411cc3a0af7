/** The output of a search and a booking in terminals of several widths, and in a pipe. */
import {expect, test} from 'vitest'
import {textWidth} from '../../src/cli/terminal/text.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {GUESTS, offerIn, reservationIn, SEARCH} from '../support/stay.js'
import {atTerminal} from '../support/terminal.js'

const sandbox = await sandboxOfFile()
const {home} = sandbox

/** Returns the screen when the command has ended with `exit`. */
async function seen(argv: readonly string[], columns = 80, exit = 0): Promise<string[]> {
  const terminal = atTerminal(home, argv, {columns, rows: 40})
  expect(await terminal.exit).toBe(exit)
  return terminal.screen().trimEnd().split('\n')
}

/** Reads `name: value` lines, including lines that continue a value. */
const factsIn = (lines: readonly string[]) =>
  Object.fromEntries(
    [...lines.join('\n').matchAll(/^([a-z ]+): +(.*(?:\n {4,}.*)*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll(/\s+/g, ' '),
    ]),
  )

test.each([80, 50])('a search at %i columns says what was asked for, and cuts no name', async columns => {
  const {result} = await home.json<{offers: {hotel_name: string}[]}>([...SEARCH, '--limit', '4'])
  const lines = await seen([...SEARCH, '--limit', '4'], columns)
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns)
  const [head = '', table = ''] = lines.join('\n').split(/^(?=OFFER ID)/m)
  expect(head.replaceAll(/\s+/g, ' ')).toMatch(
    /^Istanbul \(101\), 2030-06-01 to 2030-06-04 \(3 nights\), 2 adults, nationality TR: 4 of \d+ offers $/,
  )
  // Where rooms and boards are left out, the column for free cancellation stays.
  if (columns === 80) expect(table).toContain('FREE CANCELLATION')
  for (const word of result.offers.flatMap(({hotel_name}) => hotel_name.split(' ')))
    expect(table).toContain(word)
})

test('a pipe gets rows only, also with --format table', async () => {
  const {stdout, stderr} = await home.run([...SEARCH, '--limit', '4'])
  expect(stdout.split('\n').map(line => line.slice(0, 4))).toEqual(['off_', 'off_', 'off_', 'off_', ''])
  expect(stderr).not.toContain('Istanbul')
  expect((await home.run([...SEARCH, '--limit', '4', '--format', 'table'])).stdout).toMatch(/^OFFER ID /)
  expect((await home.run(['content', 'countries', '--find', 'tur'])).stdout).toMatch(/^\S\S\t/)
})

test('a filter that leaves nothing has no head line and no advice to reserve', async () => {
  expect(await seen([...SEARCH, '--max-price', '1'])).toEqual([
    expect.stringMatching(/^No offers match your filters \(\d+ found\)\.$/),
  ])
})

test('other lists say how many they show', async () => {
  expect((await seen(['content', 'countries', '--find', 'turk']))[0]).toMatch(/^\d+ of \d+ countries$/)
  expect(
    (await seen(['tours', 'search', '--city', 'ıstanbul', '--currency', 'EUR', '--limit', '2']))[0],
  ).toMatch(/^Istanbul \(101\): 2 of \d+ tours$/)
})

test('a person sees what is reserved before it is sent, also with --yes and --json, but not with --quiet', async () => {
  const reserving = async (...more: string[]) => {
    const argv = ['reserve', await offerIn(home), '--pay', 'account', '--yes', ...GUESTS, ...more]
    return (await seen(argv)).join('\n')
  }
  const preview = /^Hotel +\S.*^Guests +Ayşe Öğüt \(lead\), Can Öğüt$.*^Service +TEST/ms
  expect(await reserving()).toMatch(preview)
  expect(await reserving('--json', '--query', 'outcome')).toMatch(preview)
  expect(await reserving('--quiet')).not.toMatch(/Guests|Service/)
})

test('a confirmed reservation shows hotel, dates, cancellation deadline and, if the client may see it, the balance', async () => {
  const reserved = async () =>
    factsIn(await seen(['reserve', await offerIn(home), '--pay', 'account', '--yes', ...GUESTS]))
  const facts = await reserved()
  const {stdout} = await home.run(['account', '--query', 'account.available_balance'])
  expect(facts).toMatchObject({
    status: 'CONFIRMED',
    hotel: expect.stringMatching(/\w/),
    rooms: expect.stringMatching(/, \w\w$/),
    dates: '2030-06-01 to 2030-06-04, 3 nights',
    guests: 'Ayşe Öğüt, Can Öğüt',
    payment: 'account, PAID',
    cancellation: expect.stringMatching(/^free until 2030-05-\d\d \d\d:\d\d \(UTC\+03:00\)$/),
    balance: `${stdout.trim()} EUR`,
    voucher: `bookctl voucher download ${facts.reservation}`,
  })
  for (const name of ['attempts', 'idempotency_key', 'pay at']) expect(facts).not.toHaveProperty(name)
  await sandbox.fault({operation: 'account.show', kind: 'status', status: 403})
  const {balance, status} = await reserved()
  expect([balance, status]).toEqual([undefined, 'CONFIRMED'])
})

test.each([80, 50])('reservations show at %i columns has no line without a value', async columns => {
  const lines = await seen(['reservations', 'show', await reservationIn(home, 'instant')], columns)
  const facts = factsIn(lines)
  expect(facts).toMatchObject({
    rooms: expect.stringMatching(/, \w\w$/),
    guests: 'Ayşe Öğüt, Can Öğüt',
    price: expect.stringMatching(/^[\d.]+ EUR$/),
    payment: 'instant, PENDING',
    'pay at': expect.stringMatching(/^http:.*\/pay\//),
    voucher: 'PENDING',
  })
  for (const line of lines) expect(line).toMatch(/\S$/)
  for (const value of Object.values(facts)) expect(value).not.toBe('')
})

test('webhooks test has no JSON in a cell', async () => {
  const argv = 'webhooks create --url https://partner.example/h --event voucher.ready --quiet'.split(' ')
  const id = (await home.run(argv)).stdout.trim()
  const {stdout} = await home.run(['webhooks', 'test', id])
  expect(stdout).toMatch(
    /^subscription_id\twhsub_\S+\nevent_id\tevt_\S+\ndelivery_id\tdlv_\S+\ndelivered\tfalse\n/,
  )
  const facts = factsIn(await seen(['webhooks', 'test', id]))
  expect(JSON.stringify(facts)).not.toContain('{\\"')
  expect(facts.subscription).toBe(id)
})
