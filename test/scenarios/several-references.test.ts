/** Several references in one run: shown, their vouchers downloaded, cancelled; some fail, and the rest goes on. */
import {existsSync, mkdirSync, readdirSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {setTimeout as sleep} from 'node:timers/promises'
import {beforeEach, describe, expect, test} from 'vitest'
import type {Home} from '../support/bookctl.js'
import {eventually} from '../support/eventually.js'
import {ownHome} from '../support/own.js'
import {PDF, refusing} from '../support/scripted-service.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {offerIn, reservationIn, SEARCH} from '../support/stay.js'
import {atTerminal} from '../support/terminal.js'
import {scriptedHome} from './scripted-home.js'

const sandbox = await sandboxOfFile()
let home: Home
beforeEach(() => {
  home = ownHome(sandbox.env)
})

const reserve = async () => reservationIn(home, 'account', await offerIn(home, '--refundable'))

/** What is sent while `run` runs, without tokens. */
async function sentBy(run: () => Promise<unknown>): Promise<string[]> {
  const before = (await sandbox.requests()).length
  await run()
  return (await sandbox.requests()).slice(before).filter(line => !line.includes('oauth'))
}

interface Entry {
  readonly reservation_ref: string
  readonly reservation: {readonly status: string} | null
  readonly error: {readonly code: string; readonly message: string; readonly hint: string} | null
}

const codesOf = (entries: readonly Pick<Entry, 'error'>[]) => entries.map(({error}) => error?.code ?? null)

describe('show', () => {
  const show = (...words: string[]) => ['reservations', 'show', ...words]

  test('shows the reservations in the given order, and an error for each that is not found', async () => {
    const [one, two] = [await reserve(), await reserve()]
    const some = await home.json<{reservations: Entry[]}>(show(one, 'RSV-NONE', two))
    expect(some.exit).toBe(3)
    expect(some.stderr).toBe('')
    const {reservations} = some.result
    expect(reservations.map(({reservation_ref}) => reservation_ref)).toEqual([one, 'RSV-NONE', two])
    expect(codesOf(reservations)).toEqual([null, 'reservation_not_found', null])
    expect(reservations.map(({reservation}) => reservation?.status ?? null)).toEqual([
      'CONFIRMED',
      null,
      'CONFIRMED',
    ])
    const lines = await home.run(show(one, 'RSV-NONE', '--format', 'ndjson'))
    expect(
      lines.stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual(
      reservations
        .slice(0, 2)
        .map(entry =>
          entry.error ? {...entry, error: {...entry.error, request_id: expect.any(String)}} : entry,
        ),
    )
    expect(lines.stderr).toMatch(/^Error: RSV-NONE: .*not found\nHint: .*\n$/)
    const csv = await home.run(show(one, 'RSV-NONE', '--format', 'csv', '--columns', 'error,reservation_ref'))
    expect(csv.stdout).toBe(`error,reservation_ref\n,${one}\nreservation_not_found,RSV-NONE\n`)
    expect((await home.run(show(one, 'RSV-NONE', '--quiet'))).stdout).toBe(`${one}\n`)
    const query = await home.run(show(one, two, '--query', 'reservations[].reservation.status'))
    expect(query).toMatchObject({exit: 0, stdout: expect.stringMatching(/CONFIRMED.*CONFIRMED/s)})
    const table = await home.run(show(one, 'RSV-NONE', '--format', 'table'))
    expect(table.stdout).toMatch(
      /^RESERVATION REF .*ERROR\n.*CONFIRMED.*\nRSV-NONE +reservation_not_found\n$/i,
    )
    expect((await home.run(show(one, two, '--format', 'table'))).stdout).not.toMatch(/error/i)
    expect(await home.json(show('RSV-NONE', 'RSV-NO'))).toMatchObject({exit: 5})
  })

  test('one reference alone keeps its form, and is a list of one from standard input', async () => {
    const ref = await reserve()
    const alone = await home.json<Entry>(show(ref))
    expect(Object.keys(alone.result)).toEqual(['reservation'])
    const stdin = `\ufeff\n  ${ref}\r\n\n${ref}\t${ref}`
    const listed = await home.json<{reservations: Entry[]}>(show('-', ref), {stdin})
    expect(listed.result.reservations).toEqual([
      {reservation_ref: ref, reservation: alone.result.reservation, error: null},
    ])
    expect(await home.refusal(show('RSV-NONE'))).toMatchObject({exit: 5, code: 'reservation_not_found'})
  })

  test('completion and help know that there may be more than one', async () => {
    const ref = await reserve()
    const completed = await home.run([
      '__complete',
      'fish',
      'reservations',
      'show',
      'RSV-1',
      'RSV-2',
      `:${ref}`,
    ])
    expect(completed.stdout).toMatch(new RegExp(`^${ref}\t`))
    expect((await home.run(show('--help'))).stdout).toContain('bookctl reservations show REF… [flags]')
  })

  test('every mistyped reference is named in one run, and nothing is sent', async () => {
    const stdin = 'RSV-1\nx/y RSV-2\nsk_live_secret!\n'
    let refused = {exit: 0 as unknown, message: ''}
    const sent = await sentBy(async () => {
      refused = await home.refusal(show('a b', '-', 'c/d', '--columns', 'none'), {stdin})
    })
    expect(sent).toEqual([])
    expect(refused.exit).toBe(2)
    expect(refused.message).toMatch(
      /"a b".*"c\/d".*unknown column none.*"x\/y" \(line 2\), a secret \(line 3\)/,
    )
    for (const empty of ['', '\ufeff \n\t\n'])
      expect(await home.refusal(show('-'), {stdin: empty})).toMatchObject({exit: 2, code: 'missing_argument'})
    const many = Array.from({length: 10_001}, (_, index) => `RSV-${index}`).join('\n')
    expect((await home.refusal(show('-'), {stdin: many})).message).toContain('10001 references')
    expect(await home.refusal(show())).toMatchObject({exit: 2, code: 'missing_argument'})
  })

  test.each([
    [{kind: 'status', status: 403}, 4],
    [{kind: 'status', status: 503, times: 4}, 6],
    [{kind: 'drop-before', times: 4}, undefined],
  ])('after %j the rest is not tried', async (fault, exit) => {
    const ref = await reserve()
    const argv = ['RSV-A', ref, 'RSV-B'] as const
    await sandbox.fault({operation: 'reservations.show', ...fault})
    let some: {exit: unknown; result: {reservations: Entry[]}} | undefined
    const sent = await sentBy(async () => {
      some = await home.json<{reservations: Entry[]}>(show(...argv))
    })
    expect(new Set(sent)).toEqual(new Set(['GET /partner-api/v1/reservations/RSV-A']))
    if (exit !== undefined) expect(some?.exit).toBe(exit)
    expect(codesOf(some?.result.reservations ?? []).slice(1)).toEqual(['not_tried', 'not_tried'])
    await sandbox.fault({operation: 'reservations.show', ...fault})
    const said = await home.run(show(...argv))
    expect(said.stderr).toMatch(new RegExp(`Error: RSV-A: .*\\nHint: .*\\nNot tried: ${ref} RSV-B\\n$`))
  })

  test('429 is waited for as Retry-After says, and the run goes on', async () => {
    const [one, two] = [await reserve(), await reserve()]
    await sandbox.fault({
      operation: 'reservations.show',
      kind: 'status',
      status: 429,
      retry_after: 0,
      times: 2,
    })
    expect(await home.run(show(one, two, '--quiet'))).toMatchObject({exit: 0, stdout: `${one}\n${two}\n`})
  })
})

describe('voucher download', () => {
  const download = (...words: string[]) => ['voucher', 'download', ...words]
  type Vouchers = {vouchers: ({path: string | null; bytes: number | null; sha256: string | null} & Entry)[]}

  test('writes a file for each that has one, and replaces none without --force', async () => {
    const [one, two] = [await reserve(), await reserve()]
    const unpaid = await reservationIn(home, 'instant')
    const dir = join('new', 'vouchers')
    const argv = download(one, unpaid, two, '--dir', dir)
    const some = await home.json<Vouchers>(argv)
    expect(some.exit).toBe(3)
    const {vouchers} = some.result
    expect(vouchers.map(({path}) => path)).toEqual([join(dir, `${one}.pdf`), null, join(dir, `${two}.pdf`)])
    expect(Object.keys(vouchers[1] ?? {})).toEqual(['reservation_ref', 'path', 'bytes', 'sha256', 'error'])
    const where = join(home.directory, dir)
    expect(readdirSync(where).sort()).toEqual([`${one}.pdf`, `${two}.pdf`].sort())
    expect(statSync(join(where, `${one}.pdf`)).size).toBe(vouchers[0]?.bytes)
    if (process.platform !== 'win32') expect(statSync(where).mode & 0o777).toBe(0o700)
    writeFileSync(join(where, `${one}.pdf`), 'mine')
    let again = {exit: 0 as unknown, result: {vouchers: [] as Vouchers['vouchers']}}
    const sent = await sentBy(async () => {
      again = await home.json<Vouchers>(download(one, two, '--dir', dir))
    })
    expect(again.exit).toBe(2)
    expect(codesOf(again.result.vouchers)).toEqual(['file_exists', 'file_exists'])
    expect(sent).toEqual([])
    expect(statSync(join(where, `${one}.pdf`)).size).toBe(4)
    const forced = await home.run(download('-', '--dir', dir, '--force', '--quiet'), {
      stdin: `${one}\n${two}\n`,
    })
    expect(forced).toMatchObject({
      exit: 0,
      stdout: `${join(dir, `${one}.pdf`)}\n${join(dir, `${two}.pdf`)}\n`,
    })
    expect(statSync(join(where, `${one}.pdf`)).size).toBe(vouchers[0]?.bytes)
    const waited = await home.json<Vouchers>(download(unpaid, unpaid, '--wait=0', '--dir', dir))
    expect(waited).toMatchObject({exit: 8, result: {vouchers: [{error: {code: 'voucher_not_ready'}}]}})
  })

  test('one reference with --dir prints what it prints without; --file is for one', async () => {
    const ref = await reserve()
    const alone = await home.json(download(ref, '--dir', 'there'))
    expect(alone).toMatchObject({exit: 0, result: {reservation_ref: ref, path: join('there', `${ref}.pdf`)}})
    expect(Object.keys(alone.result)).toEqual(['reservation_ref', 'path', 'bytes', 'sha256'])
    expect(await home.refusal(download(ref, '--dir', 'there'))).toMatchObject({exit: 2, code: 'file_exists'})
    for (const words of [
      [ref, 'RSV-2', '--file', 'x'],
      [ref, '--dir', 'd', '--file', 'x'],
      ['-', '--file', '-'],
    ])
      expect(await home.refusal(download(...words), {stdin: ref})).toMatchObject({
        exit: 2,
        code: 'invalid_flags',
      })
    expect((await home.refusal(download('a b', ref, '--file', 'x'))).message).toMatch(
      /"a b".*--file is for one/,
    )
    writeFileSync(join(home.directory, 'taken'), '')
    for (const words of [[ref], [ref, 'RSV-2']])
      expect((await home.refusal(download(...words, '--dir', 'taken'))).message).toContain(
        'is a file, not a directory',
      )
    const dry = await home.json<{requests: object[]; changes: {file: string}[]}>(
      download(ref, 'RSV-2', '--dir', 'dry', '--dry-run'),
    )
    expect(dry.result.requests).toHaveLength(2)
    expect(dry.result.changes.map(({file}) => file)).toEqual(
      ['dry', join('dry', `${ref}.pdf`), join('dry', 'RSV-2.pdf')].map(name => join(home.directory, name)),
    )
    expect(existsSync(join(home.directory, 'dry'))).toBe(false)
  })
})

describe('voucher download from a service of another kind', async () => {
  const {service, home: other} = await scriptedHome()

  test('two references with one file name do not share it, even with --force', async () => {
    service.hasVouchers = true
    mkdirSync(join(other.directory, 'pdfs'))
    const argv = ['voucher', 'download', 'R:1', 'R_1', 'r_1', 'R-2', '--dir', 'pdfs', '--force']
    const {exit, result} = await other.json<{vouchers: Entry[]}>(argv)
    expect(exit).toBe(3)
    expect(codesOf(result.vouchers)).toEqual([null, 'file_exists', 'file_exists', null])
    expect(readdirSync(join(other.directory, 'pdfs')).sort()).toEqual(['R-2.pdf', 'R_1.pdf'])
    expect(statSync(join(other.directory, 'pdfs', 'R_1.pdf')).size).toBe(PDF.length)
  })

  test('Ctrl-C prints what was done, and leaves no part of a file', async () => {
    service.hasVouchers = true
    const argv = ['voucher', 'download', 'R-1', 'R-2', 'R-3', '--dir', 'stopped', '--json']
    const stopped = await other.spawn(argv, {
      onStart: child => service.at('/reservations/R-2/voucher', () => void child.kill('SIGINT')),
    })
    expect(stopped.exit).toBe(130)
    const {vouchers} = JSON.parse(stopped.stdout) as {vouchers: Entry[]}
    expect(codesOf(vouchers)).toEqual([null, 'not_tried', 'not_tried'])
    expect(stopped.stderr).toMatch(/Stopped before it ended: 1 of 3 were worked on/)
    expect(readdirSync(join(other.directory, 'stopped'))).toEqual(['R-1.pdf'])
    expect(service.seen('/reservations/R-3/voucher')).toEqual([])
  })

  test('progress says which of them is waited for', async () => {
    service.hasVouchers = true
    service.at('/reservations/R-2/voucher', async () => {
      await sleep(1800)
      return false
    })
    const argv = ['voucher', 'download', 'R-1', 'R-2', '--dir', 'slow']
    const run = atTerminal(other, argv, {columns: 200})
    await run.waitFor(/\S 2 of 2, asking for the voucher… 1 s/)
    expect(await run.exit).toBe(0)
    expect(run.screen()).toMatch(/RESERVATION REF +PATH .*\nR-1 .*\nR-2 /)
    expect(run.screen()).not.toContain('of 2')
  })

  test('a service that refuses the credentials ends the run', async () => {
    service.at('/reservations/R-1/voucher', refusing(403))
    const argv = ['voucher', 'download', 'R-1', 'R-2', '--dir', 'none']
    expect(await other.json(argv)).toMatchObject({
      exit: 4,
      result: {vouchers: [{}, {error: {code: 'not_tried'}}]},
    })
    expect(service.seen('/reservations/R-2/voucher')).toEqual([])
  })
})

describe('cancel', () => {
  const cancel = (...words: string[]) => ['reservations', 'cancel', ...words]
  type Cancellations = {
    cancellations: (Entry & {outcome: string | null; quote: {fee: {amount: string}} | null})[]
  }
  const statusOf = async (ref: string) =>
    (await home.run(['reservations', 'show', ref, '--query', 'reservation.status'])).stdout.trim()

  test('reads every fee, then cancels each, and answers for each', async () => {
    const [one, two] = [await reserve(), await reserve()]
    const asked = await home.json<Cancellations>(cancel(one, two))
    expect(asked).toMatchObject({exit: 2, result: {error: {code: 'confirmation_needed'}}})
    expect(asked.result.cancellations.map(({reservation_ref}) => reservation_ref)).toEqual([one, two])
    expect(asked.stderr).toMatch(
      new RegExp(
        `^${one}  \\S.*, 2030-06-01 to 2030-06-04, Ayşe Öğüt, fee 0\\.00 EUR\n${two}  .*fee 0\\.00 EUR\n`,
      ),
    )
    expect(asked.stderr).toMatch(/Reservations 2\nFees now {5}0\.00 EUR\nService/)
    let done = {exit: 0 as unknown, result: {cancellations: [] as Cancellations['cancellations']}}
    const sent = await sentBy(async () => {
      done = await home.json<Cancellations>(cancel('-', '--yes', '--max-fee', '0'), {
        stdin: `${one} RSV-NONE ${two}`,
      })
    })
    expect(done.exit).toBe(3)
    expect(done.result.cancellations.map(({outcome}) => outcome)).toEqual(['cancelled', null, 'cancelled'])
    expect(codesOf(done.result.cancellations)).toEqual([null, 'reservation_not_found', null])
    expect(Object.keys(done.result.cancellations[0] ?? {})).toEqual([
      'reservation_ref',
      'outcome',
      'reservation',
      'fee',
      'refund',
      'quote',
      'error',
    ])
    const posts = sent.map(line => line.startsWith('POST'))
    expect(posts.filter(Boolean)).toHaveLength(2)
    expect(posts.indexOf(true)).toBe(posts.length - 2)
    expect([await statusOf(one), await statusOf(two)]).toEqual(['CANCELLED', 'CANCELLED'])
    expect(await home.json(cancel(one, two, '--yes'))).toMatchObject({exit: 5})
  })

  test('--max-fee limits the sum of the fees, and an unknown fee is not counted as zero', async () => {
    const costly = async () => {
      const search = [...SEARCH, '--query', 'offers[?refundable==`false`] | [0].offer_id']
      return reservationIn(home, 'account', (await home.run(search)).stdout.trim())
    }
    const [one, two] = [await costly(), await costly()]
    const refs = [one, two]
    const quote = async (ref: string) =>
      (await home.json<{quote: {fee: {amount: string}}}>(cancel(ref, '--dry-run'))).result.quote.fee.amount
    const fees = [Number(await quote(one)), Number(await quote(two))]
    expect(Math.min(...fees)).toBeGreaterThan(0)
    const sum = (fees[0] ?? 0) + (fees[1] ?? 0)
    const limit = (amount: number) => home.refusal(cancel(...refs, '--yes', '--max-fee', amount.toFixed(2)))
    const refused = await limit(sum - 0.01)
    expect(refused).toMatchObject({exit: 2, code: 'fee_too_high'})
    expect(refused.message).toContain(`cancelling costs ${sum.toFixed(2)} EUR, more than --max-fee`)
    expect(await home.refusal(cancel(...refs, '--yes', '--max-fee', '9999 USD'))).toMatchObject({
      exit: 2,
      code: 'fee_not_comparable',
    })
    await sandbox.fault({operation: 'reservations.quote', kind: 'truncate', times: 4})
    expect(await limit(sum)).toMatchObject({exit: 2, code: 'fee_unknown'})
    const dry = await home.json<Cancellations & {requests: {method: string; url: string}[]}>(
      cancel(...refs, 'RSV-NONE', '--dry-run', '--max-fee', '0.01'),
    )
    expect(dry.exit).toBe(0)
    expect(dry.result.requests.map(({method, url}) => `${method} ${url}`)).toEqual(
      [...refs, 'RSV-NONE'].map(ref => `POST ${sandbox.baseUrl}/reservations/${ref}/cancel`),
    )
    expect(dry.result.cancellations.map(each => each.quote?.fee.amount ?? null)).toEqual([
      ...fees.map(fee => fee.toFixed(2)),
      null,
    ])
    expect(dry.stderr).toContain('Warning: cancelling costs')
    expect([await statusOf(one), await statusOf(two)]).toEqual(['CONFIRMED', 'CONFIRMED'])
    const done = await home.run(cancel(...refs, '--yes', '--max-fee', `${sum.toFixed(2)} EUR`, '--quiet'))
    expect(done).toMatchObject({exit: 0, stdout: `${one}\n${two}\n`})
  })

  test('an unknown outcome is 10, says how to find it out, and the others are cancelled', async () => {
    const [one, two] = [await reserve(), await reserve()]
    await sandbox.fault({operation: 'reservations.cancel', kind: 'commit-then-drop'})
    const some = await home.json<Cancellations>(cancel(one, two, '--yes'))
    expect(some.exit).toBe(10)
    const [lost, done] = some.result.cancellations
    expect(lost?.error?.hint).toBe(`check its state: bookctl reservations show ${one}`)
    expect(done).toMatchObject({outcome: 'cancelled', error: null})
  })

  test('nothing is cancelled if not all fees could be asked for', async () => {
    const [one, two, three] = [await reserve(), await reserve(), await reserve()]
    await sandbox.fault({operation: 'reservations.show', kind: 'latency', latency_ms: 1})
    let some = {exit: 0 as unknown, result: {cancellations: [] as Cancellations['cancellations']}}
    await sandbox.fault({operation: 'reservations.quote', kind: 'status', status: 403, times: 1})
    const sent = await sentBy(async () => {
      some = await home.json<Cancellations>(cancel(one, two, three, '--yes'))
    })
    expect(some.exit).toBe(4)
    expect(codesOf(some.result.cancellations).slice(1)).toEqual(['not_tried', 'not_tried'])
    expect(sent.filter(line => line.startsWith('POST'))).toEqual([])
  })

  test('a reader that is gone does not keep the others from being cancelled', async () => {
    const [one, two] = [await reserve(), await reserve()]
    const {exit} = await home.spawn(cancel(one, two, '--yes', '--format', 'ndjson'), {
      onStart: child => child.stdout?.once('data', () => child.stdout?.destroy()),
    })
    expect(exit).toBe(0)
    expect([await statusOf(one), await statusOf(two)]).toEqual(['CANCELLED', 'CANCELLED'])
  })

  test('at a terminal it asks once for all', async () => {
    const [one, two] = [await reserve(), await reserve()]
    const run = atTerminal(home, cancel(one, two), {columns: 120})
    await run.waitFor('Cancel these 2 reservations?')
    run.type('y')
    run.press('enter')
    expect(await run.exit).toBe(0)
    expect(run.screen()).toMatch(new RegExp(`cancelled +${one}`))
    expect(await statusOf(two)).toBe('CANCELLED')
  })

  test('Ctrl-C while one is being cancelled: its outcome is unknown, what was done is printed, the rest is not tried', async () => {
    const [one, two, three] = [await reserve(), await reserve(), await reserve()]
    await sandbox.fault({operation: 'reservations.cancel', kind: 'latency', latency_ms: 1})
    await sandbox.fault({operation: 'reservations.cancel', kind: 'commit-then-hang'})
    const stopped = await home.spawn(cancel(one, two, three, '--yes', '--json', '-v'), {
      onStart: child => {
        child.stderr?.on('data', () => {})
        const isBeingCancelled = async () => {
          const sent = await sandbox.requests()
          expect(sent.some(line => line.startsWith('POST') && line.includes(`${two}/cancel`))).toBe(true)
        }
        // One signal only: a second one ends the command at once.
        void eventually(isBeingCancelled).then(() => child.kill('SIGINT'))
      },
    })
    expect(stopped.exit).toBe(130)
    const {cancellations} = JSON.parse(stopped.stdout) as Cancellations
    expect(codesOf(cancellations)).toEqual([null, 'outcome_unknown', 'not_tried'])
    expect(cancellations[1]?.error?.hint).toContain(`bookctl reservations show ${two}`)
    expect(await statusOf(three)).toBe('CONFIRMED')
  })
})
