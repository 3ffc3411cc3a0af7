/** `webhooks verify` and `sign`: their inputs, times and secrets. */
import {existsSync} from 'node:fs'
import {availableParallelism} from 'node:os'
import * as Flags from '@oclif/core/flags'
import type {InferredFlags} from '@oclif/core/interfaces'
import {instantOf, systemClock} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {SIGNATURE_TOLERANCE_SECONDS} from '../../../contract/limits.js'
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {MOST_KEPT_BYTES} from '../../../webhooks/diagnose/check.js'
import {createSigner} from '../../../webhooks/signature/signature.js'
import {checkGiven, invalid} from '../../input/checks.js'
import {readBytes, readingProblem} from '../../input/files.js'
import {checkedFlag} from '../../input/flags.js'
import type {OutputFlags} from '../../terminal/output.js'
import {stdinIsTerminal} from '../../terminal/streams.js'
import {openInput, readingFailed, sizeOfFile} from './input-bytes.js'
import {
  chooseSigningSecrets,
  removedSecretsFor,
  resolveWebhookSecrets,
  storedWebhookSecrets,
  type WebhookSecretFlags,
  webhookHeaderNames,
  webhookSecretFlags,
} from './secrets.js'
import type {Printing} from './verify-results.js'
import {timeOfJudging, type VerifyTerms} from './verify-terms.js'
import type {VerifyThreads} from './verify-threads.js'

export const verifyFlags = {
  signature: Flags.string({helpValue: 'HEADER', summary: 'value of the signature header of a raw body'}),
  'event-id': checkedFlag(checkGiven)({
    helpValue: 'ID',
    summary: 'value of the event id header of a raw body',
  }),
  ...webhookSecretFlags,
  body: Flags.string({
    helpValue: 'FILE',
    summary: 'body of a request whose headers are in the input',
    exclusive: ['signature'],
  }),
  at: checkedFlag((field, text) => (text === 'received' || text === 'signed' ? text : readTime(field, text)))(
    {
      helpValue: 'TIME|received|signed',
      summary: 'check at this time, or when each was received or signed (default now)',
    },
  ),
  reply: Flags.boolean({summary: 'print the verdict as a mail to the partner who sent the request'}),
  tolerance: Flags.integer({
    helpValue: 'SECONDS',
    min: 0,
    max: 10_000_000_000,
    summary: `largest difference from the time (default ${SIGNATURE_TOLERANCE_SECONDS})`,
  }),
}

const MOST_JOBS = 64

/** Longer captures are checked by a thread for each core, unless --jobs is given. */
const LARGE_BYTES = 64_000_000

export const jobsFlag = Flags.integer({
  helpValue: 'N',
  min: 1,
  max: MOST_JOBS,
  summary: `threads that check a capture of lines, at most ${MOST_JOBS} (default: one for each core for files above ${LARGE_BYTES / 1e6} MB, otherwise 1)`,
})

type VerifyFlags = WebhookSecretFlags & Partial<InferredFlags<typeof verifyFlags>>

/** Returns the terms that requests are checked by. Throws a usage error if there is no secret. */
export async function planVerify(flags: VerifyFlags, state: State): Promise<VerifyTerms> {
  const {at, signature, tolerance = SIGNATURE_TOLERANCE_SECONDS} = flags
  return {
    secrets: await resolveWebhookSecrets(flags, state),
    signature,
    eventId: flags['event-id'],
    toleranceSeconds: tolerance,
    at,
    now: timeOfJudging(at),
    names: webhookHeaderNames(flags, state),
    inVain: {count: 0},
    otherSecrets: () => storedWebhookSecrets(state),
    removedSecrets: removedSecretsFor(flags, state),
    async findOriginal(id) {
      try {
        const [event] = await (await state.events()).page({ids: [id]}, {}, 1)
        return event?.body
      } catch (error) {
        // The original body is only needed for an explanation.
        if (error instanceof StorageError) return undefined
        throw error
      }
    },
  }
}

/**
 * Returns the threads for `inputs`, or undefined if this thread is enough: for short files, and where the results of several
 * lines depend on each other, as in a table.
 */
export async function openThreads(
  inputs: readonly string[],
  terms: VerifyTerms,
  flags: OutputFlags & {
    readonly body?: string | undefined
    readonly reply: boolean
    readonly jobs?: number | undefined
  },
  printing: Printing,
  explains: boolean,
): Promise<VerifyThreads | undefined> {
  const {json, format, columns, quiet, body, reply} = flags
  const isDocument = printing === 'one document'
  if (body !== undefined || reply || !(isDocument || printing === 'as they come')) return undefined
  const bytes = inputs.reduce((sum, input) => sum + (sizeOfFile(input) ?? 0), 0)
  const jobs = flags.jobs ?? (bytes > LARGE_BYTES ? Math.min(availableParallelism(), MOST_JOBS) : 1)
  if (jobs === 1) return undefined
  const {VerifyThreads} = await import('./verify-threads.js')
  return new VerifyThreads(terms, {
    jobs,
    output: {isDocument, flags: {json, format, columns, quiet}, explains},
  })
}

/** Reads the time of a signature as whole Unix seconds. Throws a usage error for an invalid time or one before 1970. */
export function readSigningTime(field: string, text: string): number {
  const seconds = Math.floor(readTime(field, text))
  if (seconds >= 0) return seconds
  throw invalid(field, 'must not lie before 1970', text)
}

/** Reads `1700000000`, or an ISO 8601 time with an offset, as Unix seconds. Throws a usage error for anything else. */
function readTime(field: string, text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/i.test(text)
  const instant = iso ? instantOf(text) : undefined
  if (instant !== undefined) return instant
  throw invalid(field, 'must be Unix seconds, or a time such as 2026-11-20T12:00:00Z', text)
}

/** Reads the body of --body. Throws a usage error if it cannot be read or is too long. */
export async function readBody({body}: VerifyFlags): Promise<Uint8Array | undefined> {
  return body === undefined ? undefined : readBytes('--body', body, MOST_KEPT_BYTES)
}

/**
 * Returns the given inputs, or standard input. Throws a usage error if that is a terminal or would be read twice, or if a file
 * does not exist.
 */
export function chooseInputs(
  typed: readonly string[],
  flags: WebhookSecretFlags & {readonly body?: string | undefined},
): string[] {
  const inputs = typed.length > 0 ? [...typed] : ['-']
  const absent = inputs.find(input => input !== '-' && !existsSync(input))
  if (absent !== undefined)
    throw usage('cannot_read', `cannot read ${sanitizeLine(absent, 200)} (${readingProblem('ENOENT')})`)
  const fromStdin = inputs.filter(input => input === '-').length
  if (fromStdin === 0) return inputs
  if (flags['secret-stdin'] || flags['secret-file'] === '-' || flags.body === '-' || fromStdin > 1) {
    throw usage('invalid_input', 'standard input can be read only once', 'pass the other as a file')
  }
  if (typed.length === 0 && stdinIsTerminal()) {
    throw usage('missing_argument', 'missing: FILE, or a webhook on standard input', 'see --help')
  }
  return inputs
}

/**
 * Signs `file` (`-` or undefined: standard input) as a stream, without loading it into memory. Times are in Unix seconds. Throws
 * a usage error if it cannot be read.
 */
export async function signInput(
  file: string | undefined,
  flags: WebhookSecretFlags & {readonly at?: number | undefined},
  state: State,
): Promise<{signature: string; timestamp: number}> {
  const [input = '-'] = chooseInputs(file === undefined ? [] : [file], flags)
  const timestamp = flags.at ?? Math.floor(systemClock.now())
  const secrets = (await chooseSigningSecrets(flags, state)).map(({secret}) => secret)
  const signer = createSigner(secrets, String(timestamp))
  try {
    for await (const piece of openInput(input)) signer.update(piece)
  } catch (error) {
    throw readingFailed(error, input)
  }
  return {signature: signer.finish(), timestamp}
}
