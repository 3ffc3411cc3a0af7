/**
 * Explanations: the reservation of a random course is explained by one of its names. The explanation must name every planted fault
 * and accuse nothing else; logged out and while the service is down it must accuse nothing that was not planted; and the reply to
 * the partner must hold no secret, nobody's data and no word of the tool.
 */
import type {ChildProcess} from 'node:child_process'
import type {Finished} from '../../support/bookctl.js'
import {GUESTS, searchWith} from '../../support/stay.js'
import {type Cell, part} from '../shared/part.js'
import {explained, losing, parse, RESERVE, shown} from '../shared/scene.js'
import {type Bench, dearer, openBench} from './bench.js'
import {type Course, courseOf, expectedOf, isKnown, isMade} from './course.js'

const SEEDS = 50
/** With the seed of the sample, these plant every problem. */
const SAMPLE: ReadonlySet<number> = new Set([2, 5, 15, 20, 27])

/** Longer than the service tries to deliver an event. */
const ALL_ATTEMPTS_SECONDS = 4 * 24 * 3600
/** Longer than the service waits between two attempts. */
const LONGEST_WAIT_SECONDS = 25 * 3600
const PAYMENT_SECONDS = 16 * 60

/** Each course has a stay of its own, so that only a planted double is one. */
function stayOf(cell: number): string[] {
  const day = new Date(Date.UTC(2031, 0, 1) + cell * 4 * 86_400_000).toISOString().slice(0, 10)
  return searchWith({'--check-in': day})
}

class Run {
  private readonly reference: string
  /** The offer, and the reservation that the service made. */
  private offer = ''
  private made: string | undefined

  constructor(
    private readonly bench: Bench,
    private readonly course: Course,
    private readonly cell: number,
  ) {
    const ending = course.attempt === 'refused for its price' ? '-price_changed' : ''
    this.reference = `course-${course.seed}${ending}`
  }

  async play(): Promise<void> {
    const {bench, course, reference} = this
    const {pay, payment, next, isSubscribed, isGivenUp, isForwardGivenUp, service} = course
    bench.plans.set(reference, {fates: course.fates, isForwardLost: isForwardGivenUp})
    await bench.subscribe(isSubscribed)
    await this.reserve()
    const [record] = await (await bench.client()).get(`/reservations?client_reference_id=${reference}`)
    this.made = record?.reservation_ref
    if (pay === 'instant' && this.made) {
      if (payment === 'declined, then paid') await this.pay('failed')
      if (payment === 'paid' || payment === 'declined, then paid') await this.pay('paid')
      if (payment === 'expired') await bench.advance(PAYMENT_SECONDS)
    }
    if (this.made && isKnown(course)) await this.goOn(next, this.made)
    await bench.settled()
    if (isGivenUp) await bench.advance(ALL_ATTEMPTS_SECONDS)
    await bench.settled()
    if (isForwardGivenUp && this.made) await bench.giveUpForwards(this.made)
    const path = `/partner-api/v1/reservations/${this.made}`
    if (service === 'does not have it' && isKnown(course)) bench.absent.add(path)
    if (service === 'has no voucher') bench.absent.add(`${path}/voucher`)
  }

  private async reserve(): Promise<void> {
    const {bench, course} = this
    const {wire} = bench
    this.offer = await this.search()
    let child: ChildProcess | undefined
    const killed = {
      forwards: true,
      play: () => {
        child?.kill('SIGKILL')
        return ['hang' as const]
      },
    }
    const faults = {
      clean: undefined,
      'answer lost once': {fault: losing(true), nth: 1},
      'answers lost': {fault: losing(true)},
      'answers lost, again': {fault: losing(true)},
      'requests lost': {fault: losing(false)},
      killed: {fault: killed, nth: 1},
      'killed, again': {fault: killed, nth: 1},
      'refused for its price': undefined,
      'booked at another price': {fault: dearer, nth: 1},
    }
    const fault = faults[course.attempt]
    wire.strike = fault && {...RESERVE, ...fault}
    const limits = course.attempt.includes('lost') ? ['--timeout', '2'] : []
    const argv = this.booking(this.offer, this.reference, limits)
    const options = course.attempt.startsWith('killed')
      ? {onStart: (started: ChildProcess) => (child = started)}
      : {}
    const {exit, stderr} = await bench.home.run(argv, options as never)
    wire.strike = undefined
    // The service may still be at the last attempt.
    await wire.answered()
    const ends = {
      'answers lost': 10,
      'answers lost, again': 10,
      'requests lost': 10,
      'refused for its price': 5,
    }
    const isKilled = course.attempt.startsWith('killed')
    const usual = isKilled ? 'SIGKILL' : (ends[course.attempt as keyof typeof ends] ?? 0)
    const wanted = course.attempt === 'booked at another price' ? 3 : usual
    if (exit !== wanted) throw new Error(`reserve ended with ${exit}, not ${wanted}: ${stderr}`)
    if (course.attempt.endsWith('again')) await this.must(['reserve', '--resume', this.reference, '--json'])
  }

  private async search(): Promise<string> {
    const {currency} = this.course
    const words = stayOf(this.cell).map(word => (word === 'EUR' ? currency : word))
    const {stdout} = await this.must([...words, '--limit', '1', '--quiet'])
    return stdout.trim()
  }

  private booking(offer: string, reference: string, more: readonly string[] = []): string[] {
    const {pay} = this.course
    return ['reserve', offer, ...GUESTS, '--pay', pay, '--client-reference', reference, '--json', ...more]
  }

  private async pay(result: 'paid' | 'failed'): Promise<void> {
    await this.bench.sandbox.control('POST', `/_sandbox/payments/${this.made}`, {result})
  }

  private async goOn(next: Course['next'], made: string): Promise<void> {
    const again = `${this.reference}-again`
    if (next.startsWith('cancelled') && !this.hasExpired())
      await this.must(['reservations', 'cancel', made, '--yes', '--json'])
    if (next === 'changed' && !this.hasExpired())
      await this.must(['reservations', 'update', made, '--contact', 'email=new@example.com', '--json'])
    if (next === 'cancelled and booked again' || next === 'booked twice')
      await this.must(this.booking(await this.search(), again))
  }

  /** A reservation that expired before cannot be cancelled or changed. */
  private hasExpired(): boolean {
    return this.course.pay === 'instant' && this.course.payment === 'expired'
  }

  private async must(argv: readonly string[]): Promise<Finished> {
    const finished = await this.bench.home.run(argv)
    if (finished.exit !== 0) throw new Error(`${argv.join(' ')}: ${shown(finished)}`)
    return finished
  }

  /** Returns the name by which the course asks, or the client reference where the other one does not exist. */
  private async subject(): Promise<string> {
    const {subject} = this.course
    const {made, reference, offer, bench} = this
    if (subject === 'reservation' && made) return made
    if (subject === 'offer' && isKnown(this.course)) return offer
    if (subject === 'event' && made) {
      const deliveries = await bench.sandbox.listed('deliveries')
      return deliveries.find(each => each.reservation_ref === made)?.event_id ?? reference
    }
    if (subject === 'request') {
      const requests = await bench.sandbox.listed('requests')
      return requests.find(({body}) => body?.client_reference_id === reference)?.request_id ?? reference
    }
    return reference
  }

  /** Returns what is wrong with the explanations. */
  async check(): Promise<string[]> {
    const {bench, course} = this
    const {home, wire} = bench
    const subject = await this.subject()
    const expected = expectedOf(course)
    const finished = await home.run(['explain', subject, '--json'])
    const wrong = checkFindings(finished, expected)
    const loggedOut = {env: {BOOKCTL_CLIENT_ID: '', BOOKCTL_CLIENT_SECRET: ''}}
    if (isMade(course))
      wrong.push(...checkQuiet(await home.run(['explain', this.reference, '--json'], loggedOut), expected))
    wire.connection = 'reset'
    wrong.push(...checkQuiet(await home.run(['explain', this.reference, '--json']), expected))
    wire.connection = undefined
    wrong.push(...checkReply(await home.run(['explain', subject, '--reply'])))
    return explained(
      wrong.length === 0 ? [] : [JSON.stringify(course), `asked: ${subject}`, ...wrong],
      finished,
    )
  }

  /** Restores what later courses rely on. */
  async end(): Promise<void> {
    const {bench} = this
    bench.absent.clear()
    bench.wire.strike = undefined
    bench.wire.connection = undefined
    // What still waits to be delivered arrives now, since it would fail in another course and turn the subscription off.
    bench.plans.clear()
    await bench.subscribe(true)
    await bench.advance(LONGEST_WAIT_SECONDS)
    await bench.settled()
  }
}

type Codes = ReturnType<typeof expectedOf>

function codesIn({stdout}: Finished): Codes | undefined {
  const findings: {code: string; severity: string}[] | undefined = parse(stdout)?.findings
  const of = (wanted: string) =>
    [...new Set(findings?.filter(({severity}) => severity === wanted).map(({code}) => code))].sort()
  return findings && {problems: of('problem'), notices: of('notice')}
}

function checkFindings(finished: Finished, expected: Codes): string[] {
  const found = codesIn(finished)
  if (found === undefined) return ['prints no document']
  const exit = expected.problems.length > 0 ? 3 : 0
  const times: string[] = parse(finished.stdout).timeline.map(({at}: {at: string}) => at)
  const wrong = (['problems', 'notices'] as const).flatMap(kind => {
    const missing = expected[kind].filter(code => !found[kind].includes(code))
    const invented = found[kind].filter(code => !expected[kind].includes(code))
    return [...missing.map(code => `does not name ${code}`), ...invented.map(code => `invents ${code}`)]
  })
  return [
    ...wrong,
    ...(finished.exit === exit ? [] : [`exit ${finished.exit}, not ${exit}`]),
    ...(times.join() === [...times].sort().join() ? [] : ['the timeline is not in order']),
  ]
}

/** An explanation that knows less accuses nothing that was not planted. */
function checkQuiet(finished: Finished, expected: Codes): string[] {
  const found = codesIn(finished)
  if (found === undefined) return [`with less to ask, prints no document: ${shown(finished)}`]
  return found.problems
    .filter(code => !expected.problems.includes(code))
    .map(code => `with less to ask, invents ${code}: ${shown(finished)}`)
}

const NOT_FOR_PARTNERS =
  /Ayşe|Öğüt|ayse@|532 ?123|10000000146|U1234567|1990-02-03|whsec_|sk_test|at_[\w-]{20}|[0-9a-f]{8}-[0-9a-f]{4}-|bookctl|journal|exit code|undefined|null|NaN|\[object/i

function checkReply({exit, stdout, stderr}: Finished): string[] {
  const found = NOT_FOR_PARTNERS.exec(stdout)?.[0]
  return [
    ...(exit === 0 || exit === 3 ? [] : [`--reply ends with ${exit}: ${stderr}`]),
    ...(found === undefined ? [] : [`the reply says ${found}: ${stdout}`]),
    ...(stdout.startsWith('You asked about ') ? [] : [`the reply begins with ${stdout.slice(0, 60)}`]),
  ]
}

function cellOf(seed: number): Cell<Bench> {
  return {
    name: `a random course, seed ${seed}`,
    group: 'courses',
    isSample: SAMPLE.has(seed),
    async run(bench, base) {
      const run = new Run(bench, courseOf(base * SEEDS + seed), seed)
      try {
        await run.play()
        return await run.check()
      } finally {
        await run.end()
      }
    },
  }
}

export const explanations = part({
  title: 'Explanations',
  unit: 'courses',
  cells: Array.from({length: SEEDS}, (_, n) => cellOf(n + 1)),
  open: openBench,
  // Courses share the clock and the subscription.
  atOnce: 1,
})
