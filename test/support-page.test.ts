/**
 * Runs the commands of docs/support.md, each question in a home and a sandbox of its own in which what is asked about has happened,
 * and compares what they print with the page. There `…` stands for the rest of a word or line, and alone on a line for any lines.
 */
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {RETRY_SECONDS} from '../src/contract/limits.js'
import {startTarget} from './support/listening.js'
import {ownListening} from './support/own.js'
import {ownSandbox} from './support/served-sandbox.js'
import {Shell} from './support/shell.js'
import {firstOffer, GUESTS, offerIn, searchWith} from './support/stay.js'
import {EVENT, SIGNING_SECRET, signatureOf} from './support/webhook-files.js'
import {sendEvent} from './support/webhook-load.js'

const PAGE = readFileSync(new URL('../docs/support.md', import.meta.url), 'utf8')

interface Step {
  readonly command: string
  readonly prints: string
}

/** The questions of the page, each with its commands and what they print. */
const QUESTIONS = PAGE.split(/^## /m)
  .slice(1)
  .map(section => ({
    title: section.slice(0, section.indexOf('\n')),
    steps: [...section.matchAll(/^```sh\n(.*?)^```\n+```text\n(.*?)^```/gms)].map(
      ([, command = '', prints = '']): Step => ({
        command: command.replaceAll(/\\\n\s*/g, ' ').trim(),
        prints,
      }),
    ),
  }))

type Own = Awaited<ReturnType<typeof ownSandbox>>
/** What stands for the placeholders and addresses of a question. */
type Made = Readonly<Record<string, string>>

/** Books the cheapest offer, and returns the reference. */
async function book(
  own: Own,
  reference: string,
  more: {pay?: string; currency?: string; nights?: string} = {},
) {
  const {pay = 'account', currency = 'EUR', nights = '3'} = more
  const offer = await firstOffer(own.home, searchWith({'--currency': currency, '--nights': nights}))
  const argv = ['reserve', offer, ...GUESTS, '--pay', pay, '--yes', '--quiet']
  return (await own.home.run([...argv, '--client-reference', reference])).stdout.trim()
}

async function subscribe({home}: Own, ...types: string[]): Promise<string> {
  const events = types.flatMap(type => ['--event', type])
  const argv = ['webhooks', 'create', '--url', 'https://127.0.0.1:1/hooks', ...events]
  return (await home.json<{subscription: {id: string}}>(argv)).result.subscription.id
}

/** Receives an event about a reservation with `listen`. */
async function receive({home}: Own, type: string, reference: string): Promise<void> {
  const receiver = await ownListening(home)
  const data = {object: 'reservation', reservation_ref: reference, status: 'CONFIRMED'}
  const event = {id: 'evt_1', type, created: new Date().toISOString(), data}
  expect(await sendEvent(receiver.port, JSON.stringify(event), 'evt_1')).toBe(200)
  await receiver.stop()
}

/** What has happened when each question comes, by its number. */
const HAPPENED: Readonly<Record<string, (own: Own) => Promise<Made>>> = {
  async 1(own) {
    await book(own, 'trip-1001')
    return {'RSV-…': await book(own, 'trip-1002')}
  },
  async 2({home}) {
    const time = Math.floor(Date.now() / 1000) - 7200
    const signature = signatureOf(EVENT, time)
    const mail = [
      'Hello,',
      'your signature is wrong:',
      '',
      '> POST /hooks HTTP/1.1',
      `> X-Service-Signature: ${signature}`,
    ]
    const body = EVENT.replace('\\/', '/')
    writeFileSync(
      join(home.directory, 'mail.txt'),
      [...mail, '> X-Service-Event-Id: evt_01', '>', `> ${body}`, ''].join('\n'),
    )
    writeFileSync(join(home.directory, 'signing-secret.txt'), `${SIGNING_SECRET}\n`)
    return {}
  },
  async 3(own) {
    await subscribe(own, 'reservation.confirmed', 'voucher.ready')
    const reference = await book(own, 'trip-1001')
    await receive(own, 'reservation.confirmed', reference)
    await own.control('POST', '/_sandbox/clock', {advance_seconds: RETRY_SECONDS + 60})
    return {'RSV-…': reference}
  },
  async 4({home}) {
    Object.assign(home.env, {
      BOOKCTL_CLIENT_ID: 'cid_sandbox_readonly',
      BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox_readonly',
    })
    return {}
  },
  async 5(own) {
    await own.fault({operation: 'reservations.create', kind: 'commit-then-drop', times: 20})
    const argv = ['reserve', await offerIn(own.home), ...GUESTS, '--pay', 'account', '--yes']
    await own.home.run([...argv, '--client-reference', 'trip-1001', '--timeout', '2'])
    await own.control('DELETE', '/_sandbox/faults')
    return {}
  },
  async 6(own) {
    const reference = await book(own, 'trip-1001')
    await book(own, 'trip-1002', {nights: '4'})
    await book(own, 'trip-1003', {nights: '5'})
    const lines = [
      'Booking;Total;State',
      'trip-1001;99,00 EUR;Confirmed',
      'trip-1002;;Cancelled',
      'trip-1004;250,00 EUR;Confirmed',
    ]
    writeFileSync(join(own.home.directory, 'books.csv'), lines.join('\r\n'))
    return {'RSV-…': reference}
  },
  async 7(own) {
    return {'RSV-…': await book(own, 'trip-1001', {currency: 'USD'})}
  },
  async 8(own) {
    await book(own, 'trip-1001')
    return {}
  },
  async 9(own) {
    const reference = await book(own, 'trip-1001', {pay: 'instant'})
    await own.control('POST', `/_sandbox/payments/${reference}`, {result: 'failed'})
    return {'RSV-…': reference}
  },
  async 10(own) {
    await receive(own, 'voucher.ready', 'RSV-1')
    const target = await startTarget(200)
    return {'http://127.0.0.1:3000/hooks': target.url}
  },
  async 11(own) {
    return {'whsub_…': await subscribe(own, 'voucher.ready')}
  },
  async 12(own) {
    await own.home.run(['reserve', 'off_none', ...GUESTS, '--nationality', 'TR', '--pay', 'account', '--yes'])
    const created = (await own.listed('requests')).find(({path}) => path.endsWith('/reservations/hotel'))
    return {'req_…': created.request_id}
  },
}

test('the page has twelve questions, and what has happened for each is prepared', () => {
  expect(QUESTIONS.map(({title}) => title.split('.')[0])).toEqual(Object.keys(HAPPENED))
  expect(QUESTIONS).toHaveLength(12)
  for (const {steps} of QUESTIONS) expect(steps.length).toBeGreaterThan(0)
})

test.each(QUESTIONS)('$title', async ({title, steps}) => {
  const own = await ownSandbox()
  const made = await HAPPENED[title.split('.')[0] ?? '']?.(own)
  const shell = new Shell(own.home)
  for (const {command, prints} of steps) {
    const typed = Object.entries(made ?? {}).reduce(
      (text, [name, value]) => text.replaceAll(name, value),
      command,
    )
    const {stdout, stderr} = await shell.type(typed)
    expect(
      [stdout, stderr]
        .filter(Boolean)
        .map(text => text.replace(/\n?$/, '\n'))
        .join(''),
      command,
    ).toMatch(patternOf(prints))
  }
})

/** Returns the pattern of an output as the page shows it. */
function patternOf(shown: string): RegExp {
  const lines = shown.trimEnd().split('\n')
  const patterns = lines.map(line => {
    if (line === '…') return '(?:.*\\n)*?'
    const words = line
      .trimEnd()
      .split('…')
      .map(text => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('\t', '\\t'))
    return `${words.join('.*?')}[ ]*\\n`
  })
  return new RegExp(`^${patterns.join('')}\\s*$`)
}
