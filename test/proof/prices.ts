/**
 * Prices: an offer is agreed at 240.00 EUR, and the service answers with a price in many forms and a state. A price that differs
 * ends with exit 3, and a state that is not a booking with 5, for the first run, a repeat and --resume. Nothing is sent twice. A
 * price that can be read in two ways counts as no price and never passes a limit.
 */
import {type Finished, Home as HomeHere} from '../support/bookctl.js'
import {answer, ScriptedService} from '../support/scripted-service.js'
import {SEARCH} from '../support/stay.js'
import {done} from './shared/home.js'
import {type Cell, type Own, part} from './shared/part.js'
import {booking, ending, parse} from './shared/scene.js'

type Form = (amount: string, currency: string) => object

/** Where a price may be in an answer. */
const FORMS: Readonly<Record<string, Form>> = {
  price: (total, currency) => ({price: {total, currency}}),
  pricing: (total, currency) => ({pricing: {total, currency}}),
  'a flat total': (total_price, currency) => ({total_price, currency}),
  'a number': (amount, currency) => ({total_price: Number(amount), currency}),
  'camel case': (totalPrice, currency) => ({totalPrice, currency}),
  'one text': (amount, currency) => ({total_price: `${amount} ${currency}`}),
  'deep inside': (amount, currency) => ({price: {total: {amount, currency}}}),
  'the payment': (amount, currency) => ({payment: {mode: 'account', amount, currency}}),
  'beside a charge': (total, currency) => ({
    price: {total, currency},
    payment: {amount: total, currency, charged: {amount: '88.00', currency: 'GBP', rate: '0.3667'}},
  }),
  'beside a payment that was converted': (total, currency) => ({
    price: {total, currency},
    payment: {amount: 88, currency: 'GBP', exchange_rate: 0.3667},
  }),
}

/** Answers instead of 240.00 EUR, and whether each is a different price. */
const AMOUNTS: readonly (readonly [amount: string, currency: string, differs: boolean])[] = [
  ['240.00', 'EUR', false],
  ['240', 'EUR', false],
  ['240.0', 'eur', false],
  ['9999.00', 'EUR', true],
  ['240.01', 'EUR', true],
  ['239.99', 'EUR', true],
  ['0.00', 'EUR', true],
  ['240.00', 'KWD', true],
  ['240.00', 'USD', true],
]

/** Answers from which the price cannot be read completely. The command then reports no difference. */
const UNCLEAR: Readonly<Record<string, object>> = {
  'no currency': {total_price: '240'},
  'a deposit': {price: {total: '240.00', currency: 'EUR'}, payment: {amount: '60.00', currency: 'EUR'}},
  none: {},
  null: {price: null, total_price: null},
  words: {price: 'as agreed'},
  'minor units': {price: {amount: 24_000, currency: 'EUR', minor_units: 2}},
}

/** Offers whose price can be read in two ways, one of which is below 150. */
const TWO_WAYS: Readonly<Record<string, object>> = {
  'minor units': {price: {amount: 14_000, currency: 'EUR', minor_units: 2}},
  'minor units beside it': {total_price: 14_000, minor_units: 2, currency: 'EUR'},
  'net and gross': {price: {net: 100, gross: 180, currency: 'EUR'}},
  'net and gross, flat': {net: 100, gross: 180, currency: 'EUR'},
  'two totals': {total: '100.00', price: {total: '500.00'}, currency: 'EUR'},
  'two totals, the other way': {total: '500.00', price: {total: '100.00'}, currency: 'EUR'},
  'two spellings': {total_price: '100.00', totalPrice: '500.00', currency: 'EUR'},
  'two currencies': {price: {total: '100.00', currency: 'EUR'}, pricing: {total: '100.00', currency: 'KWD'}},
}

/** The exit codes for a state, at the agreed price and at another. */
const STATES: Readonly<
  Record<string, {readonly same: readonly number[]; readonly other: readonly number[]}>
> = {
  CONFIRMED: {same: [0], other: [3]},
  PENDING_PAYMENT: {same: [0], other: [3]},
  ON_REQUEST: {same: [0], other: [3]},
  none: {same: [0], other: [3]},
  ...Object.fromEntries(
    ['FAILED', 'REJECTED', 'CANCELLED', 'EXPIRED'].map(state => [state, {same: [5], other: [5, 3]}]),
  ),
}

interface Bench {
  readonly service: ScriptedService
}

const OFFER = 'off_agreed'
const AGREED = {pricing: {total: '240.00', currency: 'EUR'}}

/** Starts a home that has seen an offer, with a service that answers reservations with the JSON `answered`. */
async function startTrip({service}: Bench, own: Own, offered: object, answered: string): Promise<HomeHere> {
  const home = own(new HomeHere(service.env))
  service.forget()
  service.script = ({path}, response) => {
    if (path === '/reservations/hotel')
      response.writeHead(201, {'content-type': 'application/json'}).end(answered)
    else if (path === '/hotels/search')
      answer(response, 200, {data: {offers: [{offer_id: OFFER, ...offered}]}})
    else return false
    return true
  }
  await done(home.run(SEARCH))
  return home
}

interface Expected {
  readonly exits: readonly number[]
  readonly differs: boolean
  readonly asJson: boolean
  readonly more?: readonly string[]
}

/** Reserves, repeats and resumes. Returns what is wrong with the results. */
async function answerWith(bench: Bench, own: Own, record: object, {more = [], ...expected}: Expected) {
  const answered = JSON.stringify({data: {reservation_ref: 'R-1', ...record}})
  const home = await startTrip(bench, own, AGREED, answered)
  const argv = booking(OFFER, ['--client-reference', 'trip', ...more])
  const runs = {first: argv, repeat: argv, '--resume': ['reserve', '--resume', 'trip', ...more]}
  const wrong: string[] = []
  for (const [which, words] of Object.entries(runs)) {
    const finished = await home.run([...words, ...(expected.asJson ? ['--json'] : [])])
    wrong.push(...wrongIn(finished, expected).map(text => `${which}: ${text} (${ending(finished)})`))
  }
  const {length} = bench.service.seen('/reservations/hotel')
  return length === 1 ? wrong : [...wrong, `sent ${length} times`]
}

function wrongIn({exit, stdout, stderr}: Finished, {exits, differs, asJson}: Expected): string[] {
  const wrong = exits.includes(Number(exit)) ? [] : [`not exit ${exits.join(' or ')}`]
  const document = parse(stdout)
  if (!asJson) {
    const isReported = /240(\.00)?\s*EUR|EUR\s*240|€\s*240|240(\.00)?\s*€/.test(stderr + stdout)
    if (differs && !isReported) wrong.push('what was agreed is not reported')
  } else if (document === undefined) wrong.push('not one JSON document')
  else if ((document.price_changed === true) !== differs)
    wrong.push(`price_changed: ${document.price_changed}`)
  else if (differs && !(Number(document.agreed?.price) === 240 && document.agreed.currency === 'EUR'))
    wrong.push(`agreed: ${JSON.stringify(document.agreed)}`)
  return wrong
}

function stateCell(state: string, asJson: boolean): Cell<Bench> {
  const {same, other} = STATES[state] ?? {same: [], other: []}
  const status = state === 'none' ? {} : {status: state}
  const name = `${state}, ${asJson ? 'JSON' : 'text'}`
  const isRefusal = same[0] === 5
  return {
    name,
    group: state,
    async run(bench, _, own) {
      let count = 0
      const wrong: string[] = []
      const tryOne = async (what: string, record: object, differs: boolean) => {
        count += 3
        const expected = {exits: differs ? other : same, differs: differs && (asJson || !isRefusal), asJson}
        const found = await answerWith(bench, own, {...status, ...record}, expected)
        wrong.push(...found.map(text => `${what}: ${text}`))
      }
      for (const [form, make] of Object.entries(FORMS))
        for (const [amount, currency, differs] of asJson ? AMOUNTS : AMOUNTS.slice(2, 4))
          await tryOne(`${amount} ${currency} as ${form}`, make(amount, currency), differs)
      for (const [what, record] of Object.entries(UNCLEAR)) await tryOne(what, record, false)
      return {count, wrong}
    },
  }
}

/** Maximum prices, and whether the offer of 240.00 EUR passes each. */
const LIMITS: readonly (readonly [string, boolean])[] = [
  ['240', true],
  ['240.00 EUR', true],
  ['239.99', false],
  ['239.99 EUR', false],
  ['9999 USD', false],
  ['9999 KWD', false],
]

const limits: Cell<Bench> = {
  name: 'limits, in a currency',
  group: 'limits',
  isSample: true,
  async run(bench, _, own) {
    const wrong: string[] = []
    for (const [limit, passes] of LIMITS) wrong.push(...(await limitOne(bench, own, AGREED, limit, passes)))
    return {count: 2 * LIMITS.length, wrong}
  },
}

const unclearOffers: Cell<Bench> = {
  name: 'limits, a price that can be read in two ways',
  group: 'limits',
  async run(bench, _, own) {
    const wrong: string[] = []
    const all = Object.entries(TWO_WAYS)
    for (const [what, offered] of all)
      wrong.push(...(await limitOne(bench, own, offered, '150', false)).map(text => `${what}: ${text}`))
    return {count: 2 * all.length, wrong}
  },
}

/** Applies the limit to a search, and to a reservation, which must be refused before it is sent. */
async function limitOne(bench: Bench, own: Own, offered: object, limit: string, passes: boolean) {
  const answered = JSON.stringify({reservation_ref: 'R-1', status: 'CONFIRMED'})
  const home = await startTrip(bench, own, offered, answered)
  const wrong: string[] = []
  const search = await home.run([...SEARCH, '--max-price', limit, '--json'])
  const {length} = parse(search.stdout)?.offers ?? []
  if ((length === 1) !== passes) wrong.push(`search --max-price ${limit}: ${ending(search)}`)
  const reserve = await home.run(booking(OFFER, ['--json', '--max-price', limit]))
  const sent = bench.service.seen('/reservations/hotel').length
  const isRight = passes ? reserve.exit === 0 && sent === 1 : reserve.exit === 2 && sent === 0
  if (!isRight) wrong.push(`reserve --max-price ${limit}: sent ${sent} times, ${ending(reserve)}`)
  return wrong
}

/** Answers that do not say what was booked, and a payment that does not arrive in time. */
const endings: Cell<Bench> = {
  name: 'other ends',
  group: 'other ends',
  async run(bench, _, own) {
    const price = {price: {total: '240.00', currency: 'EUR'}}
    const data = {reservation_ref: 'R-1', status: 'CONFIRMED', ...price}
    const unknown = JSON.stringify({error: {code: 'odd', message: 'no'}, data})
    const home = await startTrip(bench, own, AGREED, unknown)
    const finished = await home.run(booking(OFFER, ['--json', '--timeout', '20']))
    const wrong = finished.exit === 10 ? [] : [`error and data: ${ending(finished)}`]
    const pending = {
      status: 'PENDING_PAYMENT',
      payment: {mode: 'instant', url: `${bench.service.origin}/pay`},
    }
    const wait = {asJson: true, more: ['--wait=1']}
    const another = {price: {total: '9.00', currency: 'EUR'}}
    wrong.push(
      ...(await answerWith(bench, own, {...pending, ...price}, {...wait, exits: [8], differs: false})),
      ...(await answerWith(bench, own, {...pending, ...another}, {...wait, exits: [3, 8], differs: true})),
    )
    return {count: 7, wrong}
  },
}

const NUMBERS = ['9007199254740993', '12345678901234567890', '-9007199254740995', '1000000000000000000000001']

/** If the reference of a reservation is a number, every digit is kept in all results and in the next request. */
const digits: Cell<Bench> = {
  name: 'references that are long numbers',
  group: 'references',
  isSample: true,
  async run(bench, _, own) {
    const wrong: string[] = []
    for (const number of NUMBERS) {
      const answered = `{"data":{"reservation_ref":${number},"status":"CONFIRMED","id":${number}}}`
      const home = await startTrip(bench, own, AGREED, answered)
      const argv = booking(OFFER, ['--json', '--client-reference', 'trip'])
      for (const words of [argv, argv, ['reserve', '--resume', 'trip', '--json']]) {
        const finished = await home.run(words)
        if (parse(finished.stdout)?.reservation_ref !== number) wrong.push(`${number}: ${ending(finished)}`)
      }
      const {stdout} = await home.run(['journal', '--json'])
      if (parse(stdout)?.entries?.[0]?.reservation_ref !== number)
        wrong.push(`${number}: the journal: ${stdout.slice(0, 300)}`)
    }
    return {count: 4 * NUMBERS.length, wrong}
  },
}

export const prices = part<Bench>({
  title: 'Prices',
  unit: 'runs',
  cells: [
    ...Object.keys(STATES).flatMap(state => [stateCell(state, true), stateCell(state, false)]),
    ...[limits, unclearOffers, endings, digits],
  ],
  async open() {
    const service = await ScriptedService.start()
    service.tokenMilliseconds = 0
    return {service, close: () => service.close()}
  },
  atOnce: 1,
})
