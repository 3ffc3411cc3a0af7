/**
 * The named points at which a process is killed. Those on the wire are seen from outside, by the proxy before the
 * service; the others are calls of the process itself, at which crash-preload.cjs ends it.
 */

/** A call of the process, by the label crash-preload.cjs gives it, and when in it. */
export interface InsidePoint {
  readonly name: string
  readonly label: RegExp
  readonly when: 'before' | 'half' | 'after'
  /** Which of the calls that match; the first unless told. */
  readonly nth?: number
}

/** A request seen by the proxy: read whole and not passed on; acted on and its answer held; half sent; sent whole. */
export interface WirePoint {
  readonly name: string
  readonly method: string
  readonly path: RegExp
  readonly moment: 'read' | 'acted' | 'half answered' | 'answered'
}

export type CrashPoint = InsidePoint | WirePoint

const at = (when: InsidePoint['when'], label: RegExp, words: string, nth?: number): InsidePoint => ({
  name: `${when === 'half' ? 'in' : when} ${words}`,
  ...{label, when},
  ...(nth === undefined ? {} : {nth}),
})

/** Before the call and after it. */
const around = (label: RegExp, words: string): InsidePoint[] => [
  at('before', label, words),
  at('after', label, words),
]

function onTheWire(what: string, method: string, path: RegExp): WirePoint[] {
  const moments = ['read', 'acted', 'half answered', 'answered'] as const
  return moments.map(moment => ({name: `${what} ${moment}`, method, path, moment}))
}

function sending(what: string, label: RegExp): InsidePoint[] {
  return [
    at('before', label, `${what}'s head`),
    at('half', label, `${what}'s head`),
    at('after', label, `${what}'s head`),
  ]
}

const OUTPUT: readonly InsidePoint[] = [
  at('before', /^out$/, 'the output'),
  at('half', /^out$/, 'the output'),
  at('after', /^out$/, 'the output'),
]

/** Writing a file that is whole or absent: under a temporary name, flushed, then put in its place. */
function wholeFile(put: 'rename' | 'link'): InsidePoint[] {
  const temporary = (call: string) => new RegExp(`^file ${call} TEMPORARY$`)
  return [
    at('after', temporary('open'), 'the temporary file is made'),
    at('half', temporary('write'), 'the writing of the temporary file'),
    at('after', temporary('write'), 'the temporary file is written'),
    at('after', temporary('fsync'), 'the temporary file is flushed'),
    at('before', temporary(put), 'the file is put in its place'),
    at('after', temporary(put), 'the file is in place'),
    at('after', /^file fsync directory$/, 'the directory is flushed'),
    at('before', temporary('remove'), 'the temporary file is removed'),
  ]
}

/** Rewriting a file so that nothing deleted stays in it; `nth` time. */
const wiping = (nth = 1): InsidePoint[] => {
  const points = [
    ...around(/^sql VACUUM$/, 'the file is wiped'),
    ...around(/^sql PRAGMA wal_checkpoint/, 'the log is emptied'),
    ...around(/^sql COMMIT PRAGMA application_id = 0$/, 'the commit that it is done with'),
  ]
  return nth === 1 ? points : points.map(point => ({...point, name: `${point.name}, time ${nth}`, nth}))
}

const TOKEN: readonly CrashPoint[] = [
  at('before', /^net connect$/, 'the first connect'),
  at('after', /^net connected$/, 'the first connection is made'),
  ...sending('the token request', /^net send POST \S+\/oauth\/token/),
  ...onTheWire('the token request is', 'POST', /\/oauth\/token$/),
  ...around(/^sql COMMIT .*INTO access_tokens/, 'the commit of the token'),
]

const RESERVE: readonly CrashPoint[] = [
  ...around(/^sql COMMIT .*INSERT INTO reservations/, "the journal's commit"),
  ...TOKEN,
  ...around(/^sql COMMIT .*SET attempts/, 'the commit that counts the attempt'),
  at('before', /^net connect$/, 'the connect', 2),
  at('after', /^net connected$/, 'the connection is made', 2),
  ...sending('the reservation', /^net send POST \S+\/reservations\/hotel/),
  ...['before', 'half', 'after'].map(when =>
    at(when as InsidePoint['when'], /^net send \{"offer_id/, "the reservation's body"),
  ),
  ...onTheWire('the reservation is', 'POST', /\/reservations\/hotel$/),
  ...around(/^sql UPDATE reservations SET outcome/, 'the outcome is written down'),
  ...around(/^sql COMMIT UPDATE reservations SET outcome/, 'the commit of the outcome'),
  ...wiping(),
  ...OUTPUT,
]

const CREATE: readonly CrashPoint[] = [
  ...around(/^sql COMMIT .*INTO subscriptions_begun/, 'the commit of the intent'),
  ...sending('the creation', /^net send POST \S+\/subscriptions /),
  ...onTheWire('the creation is', 'POST', /\/webhooks\/subscriptions$/),
  ...around(/^sql INSERT OR REPLACE INTO signing_secrets/, 'the secret is stored'),
  ...around(/^sql DELETE FROM subscriptions_begun/, 'the intent is done with'),
  ...wholeFile('link'),
  ...OUTPUT,
]

const CONFIG = [
  at('after', /^file directory TEMPORARY$/, 'the stage is made'),
  at('half', /^file write config\.json\.tmp/, 'the writing of the staged copy'),
  ...around(/^file rename config\.json\.tmp/, 'the staged copy is in its place'),
  ...wholeFile('rename'),
  at('before', /^file remove TEMPORARY$/, 'the stage is removed', 2),
  ...OUTPUT,
]

const GONE: readonly CrashPoint[] = [
  ...onTheWire('the revocation is', 'POST', /\/oauth\/revoke$/),
  ...around(/^sql COMMIT .*DELETE FROM access_tokens/, 'the commit that removes the tokens'),
  ...wiping(),
  ...around(/^sql COMMIT .*DELETE FROM client_secrets/, 'the commit that removes the secrets'),
  ...wiping(2),
  ...OUTPUT,
]

const LISTEN: readonly InsidePoint[] = [
  ...around(/^sql COMMIT INSERT INTO events/, 'the commit of an event'),
  ...around(/^sql COMMIT INSERT INTO events/, 'the third commit of events').map(point => ({
    ...point,
    nth: 3,
  })),
  ...sending('an answer', /^net send HTTP\/1.1 200/),
  ...OUTPUT.map(point => ({...point, name: point.name.replace('the output', 'a line of output'), nth: 2})),
]

const FORWARD: readonly InsidePoint[] = [
  ...sending('a hand-over', /^net send POST \/hooks/),
  at('half', /^net send \{"id"/, "a hand-over's body"),
  ...around(/^sql COMMIT UPDATE forwards/, 'the commit of what came of it'),
]

const DELIVER: readonly InsidePoint[] = [
  ...around(/^sql COMMIT .*INSERT INTO reservations/, 'the commit of the reservation'),
  ...sending('the answer', /^net send HTTP\/1.1 201/),
  ...sending('a delivery', /^net send POST \/hooks/),
  at('half', /^net send \{"id":"evt_/, "a delivery's body"),
  ...around(/^sql COMMIT UPDATE deliveries/, 'the commit of what came of it'),
]

/** By what is killed. */
export const CRASH_POINTS = {
  reserve: RESERVE,
  'reserve --pay instant': RESERVE.filter(point => !TOKEN.includes(point)),
  'token renewal': [...TOKEN, ...OUTPUT],
  'webhooks create': CREATE,
  'voucher download': [
    ...onTheWire('the voucher is', 'GET', /\/voucher$/),
    ...onTheWire('the PDF is', 'GET', /\/vouchers\//),
    ...wholeFile('link'),
    ...OUTPUT,
  ],
  'voucher download --force': wholeFile('rename'),
  login: [
    ...sending('the token request', /^net send POST \S+\/oauth\/token/),
    ...onTheWire('the token request is', 'POST', /\/oauth\/token$/),
    ...around(/^sql INSERT OR REPLACE INTO client_secrets/, 'the secret is stored'),
    ...CONFIG,
    ...around(/^sql COMMIT .*DELETE FROM client_secrets/, 'the commit that removes the secret before'),
    ...around(/^sql COMMIT .*INTO access_tokens/, 'the commit of the token'),
  ],
  'webhooks events export': [...wholeFile('link'), ...OUTPUT],
  'reservations cancel': [
    ...sending('the cancellation', /^net send POST \S+\/cancel /),
    ...onTheWire('the cancellation is', 'POST', /\/cancel$/),
    ...OUTPUT,
  ],
  'webhooks listen --tls': [
    ...wholeFile('rename'),
    ...wholeFile('rename').map(point => ({...point, name: `${point.name}, the second`, nth: 2})),
  ],
  'sandbox reset': [
    ...around(/^sql DELETE FROM reservations/, 'the reservations are removed'),
    ...around(/^sql COMMIT .*DELETE FROM reservations/, 'the commit of the reset'),
    ...sending('the answer', /^net send HTTP\/1.1 200/),
  ],
  'config set': CONFIG,
  'webhooks listen': LISTEN,
  'webhooks listen --forward-to': [...LISTEN, ...FORWARD],
  "the sandbox's deliveries": DELIVER,
  'profiles use': CONFIG,
  logout: GONE,
  'journal forget': [
    ...around(/^sql UPDATE reservations SET outcome = 'forgotten'/, 'the request is removed'),
    ...around(/^sql COMMIT .*SET outcome = 'forgotten'/, 'the commit that removes it'),
    ...wiping(),
    ...OUTPUT,
  ],
} satisfies Record<string, readonly CrashPoint[]>
