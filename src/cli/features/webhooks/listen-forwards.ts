/** What `listen` says about an attempt to forward: the target's answer, how to replay, and which secret it refused. */
import {createHash} from 'node:crypto'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {WEBHOOK_RESPONSE_SECONDS} from '../../../contract/limits.js'
import {type ForwardReport, SIGNATURE_TOO_OLD} from '../../../webhooks/forward/forwarder.js'
import {signerOf} from '../../../webhooks/forward/resign.js'
import type {NamedSecret} from '../../../webhooks/signature/signature.js'
import type {ListenTerms} from './listen-flags.js'
import {isLate, unansweredText} from './targets.js'

/** The answer, its time, and what comes of it at `now`, Unix seconds. */
export function answerText(report: ForwardReport, now: number): string {
  const {target, status, error, ms, attempt, resigned, state, nextAttemptAt} = report
  const why = unansweredText(error ?? '', target)
  const words = status === null ? `no answer (${sanitizeLine(why, 300)})` : `${status} in ${ms} ms`
  const parts = [
    error === SIGNATURE_TOO_OLD ? 'not sent, its signature is too old' : words,
    status !== null && isLate(ms) && `later than the ${WEBHOOK_RESPONSE_SECONDS} s a receiver has`,
    resigned && 'signed again',
    attempt > 1 && `attempt ${attempt}`,
    state === 'pending' && `again in ${Math.max(1, Math.round(nextAttemptAt - now))} s`,
    state === 'given_up' && 'given up',
  ]
  return parts.filter(Boolean).join(', ')
}

/** Notes about attempts: the command that replays what was given up, and once for each target the secret it refused. */
export function createForwardNotes({names, secrets, flags}: ListenTerms) {
  const refused = new Set<string>()
  const withValue = (['profile', 'secret-file'] as const).flatMap(name =>
    flags[name] === undefined ? [] : ` --${name} ${quoted(flags[name])}`,
  )
  const own = withValue.join('') + (flags['secret-stdin'] ? ' --secret-stdin' : '')
  return (report: ForwardReport): string[] => {
    const {eventId, target, state, status} = report
    if (state === 'given_up')
      return [
        `Replay it: bookctl webhooks events replay ${quoted(eventId)} --to ${quoted(target)} --resign${own}`,
      ]
    if (status !== 401) return []
    const signer = signerOf(report, names.signature, secrets())
    const place = `${target} ${signer?.name}`
    if (refused.has(place)) return []
    refused.add(place)
    if (!signer) return ['The target refused a signature whose secret is not known here any more']
    const what = `The target refused the signature; its secret is ${sourceOf(signer)}. Compare it with that of the target:`
    return [`${what} bookctl webhooks listen --print-secret${own}`]
  }
}

const SOURCES: Readonly<Record<string, string>> = {
  env: 'from BOOKCTL_WEBHOOK_SECRET',
  file: 'from --secret-file',
  stdin: 'from --secret-stdin',
}

/** Where the secret is from, and the beginning of its SHA-256, to tell it from others without showing it. */
function sourceOf({name, secret}: NamedSecret): string {
  const [place = ''] = /^(env|file|stdin)\b/.exec(name) ?? []
  const source = SOURCES[place] ?? `that of ${sanitizeLine(name, 60)}`
  return `${source} (SHA-256 ${createHash('sha256').update(secret).digest('hex').slice(0, 8)}…)`
}

/** A word for a shell. */
function quoted(text: string): string {
  return sanitizeLine(/^[\w.:@%+=/,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
}
