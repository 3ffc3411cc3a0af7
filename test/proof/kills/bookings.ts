/**
 * Kills during reservations and what follows them: there is one reservation and one debit, files are complete, and no personal
 * data stays. Also kills receivers of events: no acknowledged event is lost.
 */
import {randomUUID} from 'node:crypto'
import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {isNeverSent} from '../../../src/contract/journal.js'
import {intent} from '../../support/client.js'
import {startTarget} from '../../support/listening.js'
import {waitUntil} from '../../support/wait.js'
import {load, SECRET, signedEvent} from '../../support/webhook-load.js'
import {isPdf} from '../shared/home.js'
import {
  booking,
  CREDENTIALS,
  cents,
  findTexts,
  Home,
  PEOPLE,
  parse,
  reservationsAt,
  withState,
} from '../shared/scene.js'
import {
  command,
  look,
  type Point,
  type Ready,
  runAgain,
  runAnother,
  type ServerTrial,
  type Subject,
  server,
  unless,
} from './trial.js'

const now = () => Date.now() / 1000

const entryIn = (home: Home) => look(home, async state => (await state.journal.list())[0])

const reserve = (mode: 'account' | 'instant', name: string, randomKills: number) =>
  command(name, randomKills, async ({home, wire, side}, random) => {
    const reference = `kill-${randomUUID()}`
    const argv = booking(await side.offer(), ['--client-reference', reference], mode)
    const resume = ['reserve', '--resume', reference]
    const balance = await side.balance()
    const sent = () => reservationsAt(wire)
    const findPeople = () => findTexts(home.directory, PEOPLE)
    let argvAgain = argv
    return {
      argv,
      argvAgain: () => argvAgain,
      async afterDeath({stdout}) {
        const kept = await entryIn(home)
        const wrong = sent().flatMap(({headers, body}) => [
          ...unless(kept?.idempotencyKey === headers['idempotency-key'], 'the journal has another key'),
          ...unless(kept?.body === null || kept?.body === body, 'the journal has another body'),
        ])
        if (sent().length > (kept?.attempts ?? 0)) wrong.push('an attempt was not counted before it left')
        if (parse(stdout) && !kept?.reservationRef) wrong.push('was printed before it was written down')
        return wrong
      },
      async before() {
        const kept = await entryIn(home)
        const wrong = await runAnother(home, ['journal'])
        if (kept?.body === null) wrong.push(...findPeople())
        if (kept === undefined || random() < 0.5) return wrong
        // Another offer: with --unless-booked, what was sent counts.
        if (isNeverSent(kept) || random() < 0.5)
          argvAgain = booking(await side.offer(), ['--client-reference', reference, '--unless-booked'], mode)
        else argvAgain = resume
        if (isNeverSent(kept)) {
          // --resume must not send a request that was never sent before, and no personal data stays.
          const {exit, code} = await runAgain(home, resume, wrong)
          if (exit !== 2 || code !== 'never_sent')
            wrong.push(`never sent, --resume ends with ${exit} ${code}`)
          wrong.push(...unless(sent().length === 0, '--resume sent what was never sent'), ...findPeople())
        }
        return wrong
      },
      async after({exit, result}) {
        const wanted = mode === 'account' ? 'confirmed' : 'pending_payment'
        const made = await side.reservations(reference)
        const debit = balance - (await side.balance())
        const bodies = new Set(sent().map(({headers, body}) => `${headers['idempotency-key']} ${body}`))
        return [
          ...unless(exit === 0 && result.outcome === wanted, `again it ends with ${exit} ${result.outcome}`),
          ...unless(made.length === 1, `${made.length} reservations were made`),
          ...unless(
            debit === (mode === 'account' ? cents(made[0]?.payment.amount) : 0),
            `${debit} cents paid`,
          ),
          ...unless(bodies.size === 1, `was sent in ${bodies.size} forms`),
          ...unless(
            (await entryIn(home))?.reservationRef === made[0]?.reservation_ref,
            'the journal has another',
          ),
          ...findPeople(),
        ]
      },
    }
  })

const cancel = command('reservations cancel', 40, async ({side}) => {
  const balance = await side.balance()
  const reference = await side.reservation()
  const paid = balance - (await side.balance())
  const show = () => side.show<{status: string; cancellation?: {fee: string}}>(`/reservations/${reference}`)
  const checkMoney = async () => {
    const {status, cancellation} = await show()
    const owed = status === 'CANCELLED' ? cents(cancellation?.fee) : paid
    const gone = balance - (await side.balance())
    return unless(gone === owed, `${gone} cents are gone, of ${owed} (${status})`)
  }
  let wasCancelled = false
  return {
    argv: ['reservations', 'cancel', reference, '--yes'],
    async afterDeath() {
      wasCancelled = (await show()).status === 'CANCELLED'
      return checkMoney()
    },
    async after({exit, code}) {
      const isRight = wasCancelled ? exit === 5 && code === 'already_cancelled' : exit === 0
      const {status} = await show()
      const wrong = unless(isRight, `again it ends with ${exit} ${code}, cancelled before: ${wasCancelled}`)
      return [...wrong, ...unless(status === 'CANCELLED', `then it is ${status}`), ...(await checkMoney())]
    },
  }
})

/** A file is complete, or as it was before. */
const download = (name: string, randomKills: number, ...more: readonly string[]) =>
  command(name, randomKills, async ({home, side}) => {
    const place = join(home.directory, 'v.pdf')
    const isForced = more.length > 0
    if (isForced) writeFileSync(place, 'old')
    const seen = () => {
      const bytes = existsSync(place) ? readFileSync(place) : Buffer.from('none')
      return isPdf(bytes) ? 'whole' : bytes.toString('latin1', 0, 10)
    }
    const before = seen()
    let isThere = false
    return {
      argv: ['voucher', 'download', await side.reservation(), '--file', 'v.pdf', ...more],
      afterDeath() {
        isThere = seen() === 'whole' && !isForced
        return unless([before, 'whole'].includes(seen()), `the file is ${seen()}`)
      },
      after: ({exit}) => [
        ...unless(exit === (isThere ? 2 : 0), `again it ends with ${exit}`),
        ...unless(seen() === 'whole', `again the file is ${seen()}`),
      ],
    }
  })

const forget = command('journal forget', 80, async ({home}) => {
  const reference = `kill-${randomUUID()}`
  const body = JSON.stringify({offer_id: 'off_1', guests: [{identity: {type: 'TC', number: PEOPLE[0]}}]})
  await withState(home.configDirectory, async state => {
    const journal = state.journal.forClient({
      baseUrl: home.env.BOOKCTL_BASE_URL ?? '',
      clientId: CREDENTIALS.BOOKCTL_CLIENT_ID,
      clientSecret: undefined,
    })
    const {entry} = await journal.begin(intent(1, {clientReferenceId: reference, body}), now())
    await journal.attempt(entry.id, now())
    await journal.settle(entry.id, {outcome: 'unknown'}, now())
  })
  const isForgotten = async () => (await entryIn(home))?.outcome === 'forgotten'
  const findPeople = () => findTexts(home.directory, PEOPLE)
  return {
    argv: ['journal', 'forget', reference, '--yes'],
    async afterDeath() {
      const kept = await entryIn(home)
      const isOld = kept?.outcome === 'unknown' && kept.body === body
      return unless(isOld || (kept?.outcome === 'forgotten' && !kept.body), `it has ${JSON.stringify(kept)}`)
    },
    async before() {
      const wrong = await runAnother(home, ['journal'])
      return (await isForgotten()) ? [...wrong, ...findPeople()] : wrong
    },
    after: async ({exit}) => [
      ...unless(exit === 0 && (await isForgotten()), `again it ends with ${exit}, and is not forgotten`),
      ...findPeople(),
    ],
  }
})

const at = (label: string, whens: readonly Point['when'][], ...nths: number[]): Point[] =>
  whens.flatMap(when => nths.map(nth => ({label, when, nth})))

const AROUND = ['before', 'after'] as const
const EVERY = ['before', 'half', 'after'] as const

/** Every event answered with 200 is stored once and forwarded at least once. */
async function listen(isForwarding: boolean): Promise<ServerTrial> {
  const home = new Home({BOOKCTL_WEBHOOK_SECRET: SECRET})
  const target = isForwarding ? await startTarget(200) : undefined
  const sent: string[] = []
  const answered = new Set<string>()
  const send = async ({url = ''}: Ready, nextId: () => string | undefined) => {
    const next = () => {
      const id = nextId()
      return id === undefined ? undefined : signedEvent(id, {pad: 20})
    }
    const {answers} = await load({port: Number(new URL(url).port), connections: 4, next})
    for (const {id, status} of answers) if (status === 200) answered.add(id)
  }
  const checkKept = async () => {
    const kept = await look(home, async state => (await state.events()).page({}, {after: 0}, 100_000))
    const ids = new Set(kept.map(({eventId}) => eventId))
    const missing = [...answered].filter(id => !ids.has(id))
    return [
      ...(ids.size === kept.length ? [] : ['an event is kept twice']),
      ...(missing.length === 0 ? [] : [`answered 200 and not kept: ${missing.join(' ')}`]),
    ]
  }
  const notForwarded = () => [...answered].filter(id => target && !target.got.includes(id))
  return {
    home,
    argv: ['webhooks', 'listen', ...(target ? ['--forward-to', target.url] : [])],
    use: (ready, death) =>
      send(ready, () => {
        if (sent.length === (death.kind === 'never' ? 20 : 400)) return undefined
        sent.push(`evt_${sent.length}`)
        return sent.at(-1)
      }),
    afterDeath: checkKept,
    async again(ready) {
      const unanswered = sent.filter(id => !answered.has(id))
      await send(ready, () => unanswered.shift())
      const wrong = sent.filter(id => !answered.has(id)).map(id => `again ${id} was not answered 200`)
      await waitUntil(() => notForwarded().length === 0, 'forwards').catch(() =>
        wrong.push(`answered 200 and not forwarded: ${notForwarded().join(' ')}`),
      )
      return wrong
    },
    after: checkKept,
    close: async () => target?.close(),
  }
}

const LISTEN: readonly Point[] = [
  ...at('^sql COMMIT INSERT INTO events', AROUND, 1, 3),
  ...at('^net send HTTP/1.1 200', EVERY, 1),
  ...at('^out$', EVERY, 2),
]
const FORWARD: readonly Point[] = [
  ...at('^net send POST /hooks', EVERY, 1),
  ...at('^net send \\{"id"', ['half'], 1),
  ...at('^sql COMMIT UPDATE forwards', AROUND, 1),
]

export const RECEIVERS: readonly Subject[] = [
  server('webhooks listen', 160, () => listen(false), LISTEN),
  server('webhooks listen --forward-to', 120, () => listen(true), [...LISTEN, ...FORWARD]),
]

export const BOOKINGS: readonly Subject[] = [
  reserve('account', 'reserve', 400),
  reserve('instant', 'reserve --pay instant', 60),
  cancel,
  download('voucher download', 160),
  download('voucher download --force', 60, '--force'),
  forget,
]
