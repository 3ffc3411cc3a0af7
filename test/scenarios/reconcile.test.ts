/** The journal, or a ledger, compared with the reservations of the local sandbox. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {connectTo} from '../support/sandbox.js'
import {ownSandbox} from '../support/served-sandbox.js'
import {GUESTS, searchWith} from '../support/stay.js'

interface Reconciled {
  readonly checked: number
  readonly agreed: number
  readonly differences: readonly Readonly<
    Record<'kind' | 'client_reference_id' | 'reservation_ref', string>
  >[]
}

const RECONCILE = ['reservations', 'reconcile']

type Own = Awaited<ReturnType<typeof ownSandbox>>

/** Returns an offer of each hotel, for a stay of so many nights. */
async function offersOf({home}: Own, nights = '3'): Promise<string[]> {
  const {result} = await home.json<{offers: {offer_id: string; hotel_name: string}[]}>(
    searchWith({'--nights': nights}),
  )
  return [...new Map(result.offers.map(offer => [offer.hotel_name, offer.offer_id])).values()]
}

/** Reserves as a user does, and returns what the command printed. */
async function book({home}: Own, offer: string | undefined, reference: string, pay = 'account') {
  const argv = ['reserve', offer ?? '', ...GUESTS, '--yes', '--pay', pay, '--client-reference', reference]
  return (await home.json<Record<string, string>>(argv)).result
}

const kindsOf = ({differences}: Reconciled) =>
  differences
    .map(({kind, client_reference_id, reservation_ref}) => [kind, client_reference_id, reservation_ref])
    .sort()

test('later payments, cancellations and new bookings are no differences', async () => {
  const own = await ownSandbox()
  const {home, control} = own
  const [one, two] = await offersOf(own)
  await book(own, one, 'trip-1')
  const first = await book(own, two, 'trip-2')
  await home.run(['reservations', 'cancel', first.reservation_ref ?? '', '--yes'])
  expect((await book(own, (await offersOf(own))[1], 'trip-2b')).outcome).toBe('confirmed')
  const pending = await book(own, (await offersOf(own, '4'))[0], 'trip-3', 'instant')
  const compared = await home.json<Reconciled>(RECONCILE)
  expect(compared).toMatchObject({exit: 0, result: {checked: 4, agreed: 4, differences: []}, stderr: ''})
  await control('POST', `/_sandbox/payments/${pending.reservation_ref}`, {result: 'paid'})
  const said = await home.run(RECONCILE)
  expect(said).toMatchObject({exit: 0, stdout: '', stderr: '4 reservations compared: all agree\n'})
})

test('finds what was cancelled or booked elsewhere, doubles and unresolved ones, and resolves those', async () => {
  const own = await ownSandbox()
  const {home, origin, control, fault} = own
  const offers = await offersOf(own)
  const fine = await book(own, offers[0], 'fine')
  const gone = await book(own, offers[1], 'cancelled-there')
  const client = await connectTo(origin)
  await client.call('POST', `/reservations/${gone.reservation_ref}/cancel`, {})
  // Another program of the same client books for the same guests, hotel and dates.
  const {guests, hotel} = await client.get(`/reservations/${fine.reservation_ref}`)
  const found = await client.search({check_in: '2030-06-01', check_out: '2030-06-04'})
  const same = found.find(offer => offer.hotel.hotel_id === hotel.hotel_id)
  const {json} = await client.convert(same, {client_reference_id: 'double', guests})
  const double = json.data.reservation_ref as string
  await fault({operation: 'reservations.create', kind: 'commit-then-drop', times: 20})
  const argv = ['reserve', offers[2] ?? '', ...GUESTS, '--pay', 'account', '--yes']
  const lost = await home.run([...argv, '--client-reference', 'lost', '--timeout', '2'])
  expect(lost.exit).toBe(10)
  await control('DELETE', '/_sandbox/faults')

  const {exit, result} = await home.json<Reconciled>(RECONCILE)
  const lostThere = result.differences.find(({kind}) => kind === 'unresolved')?.reservation_ref
  expect(lostThere).toMatch(/^RSV-/)
  expect(exit).toBe(3)
  expect(kindsOf(result)).toEqual([
    ['missing_here', 'double', double],
    ['status', 'cancelled-there', gone.reservation_ref],
    ['twice', 'double', double],
    ['unresolved', 'lost', lostThere],
  ])
  expect(result).toMatchObject({checked: 4, agreed: 1})
  expect(result.differences.find(({kind}) => kind === 'status')).toMatchObject({
    here: {status: 'confirmed', client_reference_id: 'cancelled-there'},
    there: {status: 'CANCELLED', reservation_ref: gone.reservation_ref},
  })
  expect(result.differences.find(({kind}) => kind === 'twice')).toMatchObject({
    there: {same_as: fine.reservation_ref},
    advice: expect.stringContaining(`bookctl reservations cancel ${double}`),
  })

  const resolved = await home.json<Reconciled>([...RECONCILE, '--resolve'])
  expect(resolved.stderr).toBe(`lost: confirmed, ${lostThere}\n`)
  expect(kindsOf(resolved.result).map(([kind]) => kind)).toEqual(['missing_here', 'status', 'twice'])
  const rows = await home.run([...RECONCILE, '--columns', 'kind,there', '--format', 'csv'])
  expect(rows.stdout.split('\n')[0]).toBe('kind,there')
  expect(rows.stdout).toContain('status,CANCELLED\n')
})

test('a journal that lost a reservation, and a service that lost one', async () => {
  const own = await ownSandbox()
  const {home, control} = own
  const [one, two] = await offersOf(own)
  await book(own, one, 'trip-1')
  await control('POST', '/_sandbox/reset')
  const kept = await book(own, (await offersOf(own))[1], 'trip-2')
  expect(two).toBeDefined()
  const {exit, result} = await home.json<Reconciled>([...RECONCILE, '--since', '1d'])
  expect([exit, result.checked, result.agreed]).toEqual([3, 2, 1])
  expect(result.differences).toMatchObject([
    {kind: 'missing_there', client_reference_id: 'trip-1', there: null},
  ])
  const later = await home.json<Reconciled>([...RECONCILE, '--until', '2020-01-01'])
  expect(later).toMatchObject({exit: 0, result: {checked: 0}})
  const other = await home.json<Reconciled>(RECONCILE, {
    env: {BOOKCTL_CONFIG_DIR: join(home.directory, 'other')},
  })
  expect(kindsOf(other.result)).toEqual([['missing_here', 'trip-2', kept.reservation_ref]])
})

const LEDGER = ['--ledger', 'ledger.csv', '--ledger-columns']
const COLUMNS = 'reference=Booking No,price=Total,currency=Ccy,status=State'

test('a ledger can replace the journal, in the formats of spreadsheets', async () => {
  const own = await ownSandbox()
  const {home} = own
  const offers = await offersOf(own)
  const one = await book(own, offers[0], 'trip-1')
  const two = await book(own, offers[1], 'trip-2')
  const three = await book(own, offers[2], 'trip-3')
  const priceOf = ({agreed}: Record<string, unknown>) => (agreed as {price: string}).price
  const german = (price: string) => {
    const [whole = '', cents] = price.split('.')
    return `${whole.replace(/(\d)(\d{3})$/, '$1.$2')},${cents}`
  }
  const ledger = (...lines: string[]) =>
    writeFileSync(
      join(home.directory, 'ledger.csv'),
      ['\ufeffState;Booking No;Total;Ccy;Note', ...lines, ''].join('\r\n'),
    )
  ledger(
    `Confirmed;trip-1;${german(priceOf(one))};EUR;"a; b"`,
    `OK;${two.reservation_ref};${priceOf(two)} EUR;;`,
    `booked;trip-3;${german(priceOf(three))};eur;`,
    'Cancelled;trip-old;10,00;EUR;',
  )
  const agreed = await home.json<Reconciled>([...RECONCILE, ...LEDGER, COLUMNS])
  expect(agreed).toMatchObject({exit: 0, result: {checked: 3, agreed: 3, differences: []}})

  ledger(
    'Confirmed;trip-1;1,00;EUR;',
    `Pending;${two.reservation_ref};${priceOf(two)};USD;`,
    'Confirmed;trip-9;10,00;EUR;',
    `Confirmed;${two.reservation_ref};${priceOf(two)};EUR;`,
  )
  const {exit, result} = await home.json<Reconciled>([...RECONCILE, ...LEDGER, COLUMNS])
  expect(exit).toBe(3)
  expect(kindsOf(result)).toEqual([
    ['currency', 'trip-2', two.reservation_ref],
    ['missing_here', 'trip-3', three.reservation_ref],
    ['missing_there', 'trip-9', null],
    ['price', 'trip-1', one.reservation_ref],
    ['status', 'trip-2', two.reservation_ref],
    ['twice', null, two.reservation_ref],
  ])
  expect(result.differences.find(({kind}) => kind === 'twice')).toMatchObject({
    here: {line: 5, also_on_line: 3},
  })
  const rows = await home.run([...RECONCILE, ...LEDGER, COLUMNS, '--columns', 'kind,here'])
  expect(rows.stdout).toContain('price\tline 2, 1.00 EUR\n')
  const typed = await home.run([...RECONCILE, '--ledger', '-', '--query', 'length(differences)'], {
    stdin: `reference,price\ntrip-1,${priceOf(one)}\ntrip-2,${priceOf(two)}\n${three.reservation_ref},\n`,
  })
  expect(typed).toMatchObject({exit: 0, stdout: '0\n'})
})

test('all cells of a ledger that cannot be read are reported, with their lines, before anything is sent', async () => {
  const own = await ownSandbox()
  const {home, requests} = own
  const ledger = (text: string) => writeFileSync(join(home.directory, 'ledger.csv'), text)
  ledger('Booking No,Total,Ccy,State\nA,1.250,EUR,ok\nB,12.50,Euro,\n,1.00,EUR,ok\nC D,1.00,EUR,perhaps\n')
  const refused = await home.refusal([...RECONCILE, ...LEDGER, COLUMNS])
  expect(refused.exit).toBe(2)
  const {message} = refused
  for (const text of [
    'line 2, column Total: can be read in two ways, not "1.250"',
    'line 3, column Ccy: must be a three-letter currency code (ISO 4217) such as EUR, not "Euro"',
    'line 4, column Booking No: is missing',
    'line 5, column Booking No: must be',
    'line 5, column State: must be confirmed, pending or cancelled, not "perhaps"',
  ])
    expect(message).toContain(text)
  const columns = (text: string) => home.refusal([...RECONCILE, ...LEDGER, text])
  expect((await columns('reference=Booking,price=Sum')).message).toContain('column Sum: is missing')
  expect((await columns('price=Total')).message).toContain('must name the column of the reference')
  expect((await columns('ref=Total')).exit).toBe(2)
  ledger('')
  expect((await columns(COLUMNS)).message).toBe('--ledger: is empty')
  ledger('Booking No,Total,Ccy,State\n')
  expect((await columns(COLUMNS)).message).toBe('--ledger: has a header and no rows')
  expect((await home.refusal([...RECONCILE, '--ledger-columns', COLUMNS])).exit).toBe(2)
  expect((await home.refusal([...RECONCILE, ...LEDGER, COLUMNS, '--resolve'])).exit).toBe(2)
  const turned = await home.refusal([...RECONCILE, '--since', '2030-02-01', '--until', '2030-01-01'])
  expect(turned).toMatchObject({exit: 2, message: '--until: must be later than --since'})
  expect(await requests()).toEqual([])
})
