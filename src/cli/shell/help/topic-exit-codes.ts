/** `help exit-codes`, made from the table that decides them. */
import type {HelpFormatter} from '@oclif/core/help'
import {EXIT_CODES} from '../failure.js'
import {list, prose} from './layout.js'

const MEANINGS = {
  done: 'done',
  unexpected: 'unexpected: a defect of bookctl, or a result that standard output did not take',
  usage: 'usage: refused before any request; the message says what to change',
  not_allowed: 'not authenticated or not allowed (401, 403)',
  refused: 'the service refused (any other 4xx)',
  service_failed: 'the service failed (5xx), or its answer cannot be understood',
  unreachable: 'unreachable, TLS, proxy, or timed out, and nothing can have happened there',
  pending: 'still pending when the wait ended: not paid yet, the expected event did not come',
  signature: 'a signature is invalid or stale',
  outcome_unknown:
    'outcome unknown: a reservation, or a change, may have been made; the message says how to find out',
  interrupted: 'interrupted by Ctrl-C (SIGINT)',
} as const satisfies Record<keyof typeof EXIT_CODES, string>

const INTRODUCTION = `
The same with and without --json; what went wrong is on stderr as text, or with --json on stdout as {"error": {"code", "message", …}}.`

const ADVICE = `
Safe to run again at once: 6 and 7, when the command only reads; 10 of reserve, since the same command run again uses the same Idempotency-Key. After 10 of any other command look first, with what the message names: the change may have been made. Not before something is changed: 2, 4, 5. In a script:

  bookctl reserve --input trip.json --yes --json > made.json
  case $? in
    0)  echo reserved ;;
    8)  echo 'waiting for the payment' ;;
    10) echo 'unknown: run the same command again' ;;
    *)  exit 1 ;;
  esac`

export function exitCodesText(help: HelpFormatter): string {
  const names = Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[]
  const rows: (readonly [string, string])[] = names.map(name => [String(EXIT_CODES[name]), MEANINGS[name]])
  rows.push(['129, 143', 'ended by SIGHUP, SIGTERM'])
  return [prose(help, INTRODUCTION), list(help, rows), prose(help, ADVICE)].join('\n\n')
}
