/**
 * The help topics other than `commands`, `flags` and `scopes`. A topic consists of texts, and of rows with a name and
 * its meaning.
 */
import {EVENT_TYPES} from '../../../contract/events.js'
import {
  ACCESS_TOKEN_LIFETIME_SECONDS,
  OFFER_VALIDITY_SECONDS,
  SIGNATURE_TOLERANCE_SECONDS,
} from '../../../contract/limits.js'
import type {Format} from '../../terminal/result.js'
import type {HELP_TOPICS} from '../command-names.js'
import {EXITS} from '../exit-codes.js'
import {SIGNAL_EXITS} from '../running.js'
import {VARIABLES} from './environment.js'

const ENVIRONMENT_INTRODUCTION = `
A flag overrides its variable, a variable overrides the profile, the profile overrides the built-in default. A variable that is set but empty counts as not set.

With BOOKCTL_BASE_URL, BOOKCTL_CLIENT_ID and BOOKCTL_CLIENT_SECRET set, every command works with no login, no file and no writable home. \`eval "$(bookctl sandbox env)"\` sets them for the local sandbox.`

const EXIT_ADVICE = `
Safe to repeat at once: 6 and 7 if the command only reads; 10 of reserve, because the same command uses the same Idempotency-Key again. After 10 of any other command, check first with the command in the message: the change may have been made. Do not repeat 2, 4 and 5 unchanged. \`reserve batch\` with the same file, and \`reserve --unless-booked\`, may be repeated after any code: they book nothing twice. In a script:

  bookctl reserve --input trip.json --yes --json > made.json
  case $? in
    0)  echo reserved ;;
    8)  echo 'waiting for the payment' ;;
    10) echo 'unknown: run the same command again' ;;
    *)  exit 1 ;;
  esac`

const OUTPUT_INTRODUCTION = `
The result goes to stdout; questions, progress, warnings, hints and errors go to stderr. At a terminal the result is a table. In a pipe it is tab-separated lines without header, borders, colour or truncation, for cut, awk and while read.`

const FORMAT_MEANINGS = {
  table: 'columns for people',
  tsv: 'values separated by tabs, no header',
  csv: 'with a header, quoted where needed',
  ndjson: 'one JSON document a line, one line an item',
  json: 'the same as --json',
} satisfies Record<Format, string>

const OUTPUT_MORE = `
--json prints exactly one JSON document, for every outcome: the result, {"error": {"code", "message", "hint", …}} for a failure of any kind, wrong flags included. The exit code stays the same. Help is text also with --json. A command that streams (webhooks listen, sandbox start) prints one document a line; reserve batch with --format ndjson prints each trip as it ends.

--query applies a JMESPath expression to that document. A string is printed bare, anything else as JSON, or in the rows of --format: the keys of objects are the columns, or 1, 2, … for lists. If it finds nothing, stderr says so:

  bookctl hotels search … --sort price --query 'offers[0].offer_id'
  bookctl account --query 'account.available_balance'

--columns selects and orders the columns of every format but json. An unknown name is refused before anything is sent, with a list of the columns; for api and webhooks events show, whose columns depend on the answer, it gives an empty column. --quiet prints identifiers only, one a line:

  bookctl webhooks list --quiet

Text from the service is not trusted: control characters are removed from text and escaped in JSON. "raw" in a result is what the service sent, untouched. Keys in JSON are not renamed or removed without notice; more may be added.

If the reader closes the pipe (| head -1), the command exits with 0 and prints nothing to stderr; sandbox start goes on.`

const SANDBOX_TEXT = `
The local sandbox is the whole service on this machine: the same requests, answers, states, signed events and refusals, with cities, hotels and prices made up but always the same. Nothing costs anything, and nothing leaves the machine. It runs until Ctrl-C, on the same port as the last time, prints each request, and keeps its data in the configuration directory (--db :memory: keeps none). Several can run, each with a --db of its own: bookctl sandbox list.

  bookctl sandbox start                    # in one terminal
  eval "$(bookctl sandbox env)"            # in another
  bookctl hotels search --city 101 --check-in 2030-06-01 --nights 3 --nationality TR --currency EUR

The clock can be advanced: offers expire after ${OFFER_VALIDITY_SECONDS / 60} minutes, tokens after ${ACCESS_TOKEN_LIFETIME_SECONDS / 3600} hours, and failed events are sent again for hours.

  bookctl sandbox clock --advance 16m

To pay or decline a reservation without a browser:

  bookctl sandbox pay RSV-…
  bookctl sandbox pay RSV-… --decline

To send an event without doing what causes it, for all subscriptions to its type or about one reservation:

  bookctl sandbox trigger payment.failed
  bookctl sandbox trigger reservation.cancelled RSV-…

To test how your program handles faults, inject them (bookctl sandbox fault add --help), or end the client reference of a reservation with -sold_out, -price_changed, -unknown_success or -unknown_soldout. The client cid_sandbox_poor has almost no money, and cid_sandbox_readonly may not change anything: bookctl sandbox env --client poor.

To test long answers, let each search find as many offers as you like; each of them can be priced and reserved:

  bookctl sandbox start --offers 10000

\`sandbox deliveries\` shows every attempt to deliver an event, \`sandbox ledger\` what an account was charged. \`sandbox openapi\` prints the description of the service for tools that read OpenAPI.`

const WEBHOOKS_TEXT = `
The service sends events by HTTPS POST to the URL of each subscription, signed with the subscription's secret, which it shows once. \`webhooks create\` stores the secret before it prints it.

To see events of the local sandbox arrive:

  bookctl webhooks create --url https://127.0.0.1:8443/ --event reservation.confirmed
  bookctl webhooks listen --tls --port 8443 --capture events.ndjson
  bookctl webhooks test whsub_…            # in another terminal
  bookctl webhooks events list

\`webhooks listen\` answers 200 only when the event is on the disk, finds repeated events by the signed id, and forwards to your own receiver with --forward-to. In scripts, --exit-after 1 --within 60 waits for an event. Beside a \`listen\` that runs elsewhere, wait for one of a reservation:

  bookctl webhooks events wait --reservation RSV-… --type voucher.ready --within 120

\`webhooks status\` shows who listens and what is still to be forwarded. For a receiver that runs for long, \`listen --admin PORT\` serves health and metrics, and --log json writes a line for each occurrence.

When a signature does not match, \`webhooks verify\` says why: the wrong secret, a body that was changed on the way, a clock that is off, a header that is malformed. It needs no login and no network:

  bookctl webhooks verify events.ndjson --at received

The check: HMAC-SHA256 with the secret, over the header's t, a dot, and the raw body; v1 is its lower-case hex, compared in constant time; t may differ from now by ${SIGNATURE_TOLERANCE_SECONDS} seconds. \`webhooks probe URL\` sends valid and invalid requests to a receiver and reports which rules it follows; \`webhooks tap --to URL\` stands before it and shows each request and answer as the rules see them.`

export type Row = [name: string, meaning: string]

/** A part of a topic: a text of paragraphs, or rows. */
export type Part = string | {readonly heading?: string; readonly rows: Row[]}

const exits = Object.values(EXITS).map(({code, meaning}): Row => [String(code), meaning])

export const TOPICS: Readonly<
  Record<Exclude<keyof typeof HELP_TOPICS, 'commands' | 'flags' | 'scopes'>, readonly Part[]>
> = {
  environment: [
    ENVIRONMENT_INTRODUCTION,
    ...Object.entries(VARIABLES).map(([heading, all]) => ({heading, rows: Object.entries(all)})),
  ],
  'exit-codes': [
    `Exit codes do not depend on --json. An error is text on stderr, or with --json a document on stdout:
    {"error": {"code", "message", …}}.`,
    {rows: [...exits, [`${SIGNAL_EXITS.SIGHUP}, ${SIGNAL_EXITS.SIGTERM}`, 'ended by SIGHUP, SIGTERM']]},
    EXIT_ADVICE,
  ],
  output: [
    OUTPUT_INTRODUCTION,
    {heading: 'Formats for --format', rows: Object.entries(FORMAT_MEANINGS)},
    OUTPUT_MORE,
  ],
  sandbox: [SANDBOX_TEXT],
  webhooks: [WEBHOOKS_TEXT, {heading: 'Event types', rows: Object.entries(EVENT_TYPES)}],
}
