/**
 * Reads the certificate, the key and the signing secrets of `listen` again, on SIGHUP or when their files change. If the new ones
 * cannot be used, the old ones stay in use. Also warns of a certificate that is about to expire.
 */
import {createHash} from 'node:crypto'
import {readFileSync, statSync} from 'node:fs'
import {isoTime} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import {StorageError} from '../../../storage/errors.js'
import {CERTIFICATE_WARNING_SECONDS} from '../../../webhooks/observe/receiver-state.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import type {ListenFlags} from './listen-flags.js'
import type {ListenLog} from './listen-log.js'
import type {Identity} from './listen-tls.js'
import type {WatchedSecrets, WebhookSecretFlags} from './secrets.js'

/** How often the files are checked. A change takes effect within ten seconds. */
const LOOK_MILLISECONDS = 4000
const DAY_SECONDS = 24 * 3600

interface ReloaderOptions {
  readonly flags: Pick<ListenFlags, 'tls' | 'cert' | 'key'> & WebhookSecretFlags
  readonly log: ListenLog
  readonly secrets: Pick<WatchedSecrets, 'current' | 'readFileAgain'>
  /** Reads --cert and --key again, or makes a certificate for --tls. Throws a usage error. */
  readonly readIdentity: () => Promise<Identity | undefined>
  /** Uses the certificate for new connections. */
  readonly onIdentity: (identity: Identity) => void
  /** Unix seconds. */
  readonly clock: () => number
}

export class Reloader {
  private readonly certificateFiles: readonly string[]
  private readonly secretFiles: readonly string[]
  /** Hashes of the files as they were last read, whether they could be used or not. */
  private known: string
  private identity: Identity | undefined
  private warnedAt = Number.NEGATIVE_INFINITY
  private timer: NodeJS.Timeout | undefined
  private reloading: Promise<void> = Promise.resolve()

  /** `identity` is the certificate in use. Reads the files, to notice changes from now on. */
  constructor(
    private readonly options: ReloaderOptions,
    identity: Identity | undefined,
  ) {
    const {cert, key, 'secret-file': secretFile} = options.flags
    this.identity = identity
    this.certificateFiles = [cert, key].filter(file => file !== undefined)
    this.secretFiles = [secretFile].filter(file => file !== undefined && file !== '-') as string[]
    this.known = this.contents()
  }

  /** Starts to check the files, and when the certificate expires. */
  start(): void {
    this.warnOfEnd()
    this.timer = setInterval(() => this.look(), LOOK_MILLISECONDS).unref()
  }

  stop(): void {
    clearInterval(this.timer)
  }

  /** Reads everything again, as after SIGHUP. Never rejects. */
  reload(): Promise<void> {
    this.reloading = this.reloading.then(() => this.readAgain(true))
    return this.reloading
  }

  private look(): void {
    if (this.contents() !== this.known) this.reloading = this.reloading.then(() => this.readAgain(false))
    // A certificate that was made here is replaced.
    if (this.warnOfEnd() && this.options.flags.tls) void this.reload()
  }

  /** Returns hashes of all files. A file that is missing or no regular file has none. */
  private contents(): string {
    return [...this.certificateFiles, ...this.secretFiles].map(hashOf).join(' ')
  }

  /** Reads the files again, and reports it if something changed or if that was asked for. */
  private async readAgain(isAsked: boolean): Promise<void> {
    const {log, secrets} = this.options
    this.known = this.contents()
    const certificate = await this.attempt('the new certificate is not used', () => this.renewCertificate())
    const signing = await this.attempt('the new signing secrets are not used', () => secrets.readFileAgain())
    const hasChanged = [certificate, signing].includes('changed')
    const isRefused = [certificate, signing].includes('refused')
    // What was refused has a warning, and is not reported as reloaded.
    if (!hasChanged && (isRefused || !isAsked)) return
    const count = secrets.current.length
    const parts: string[] = []
    if (this.identity !== undefined && certificate !== 'refused')
      parts.push(`a certificate until ${isoTime(this.identity.endsAt)}`)
    if (signing !== 'refused') parts.push(counted(count, 'signing secret'))
    const message = `Reloaded: ${parts.join(', ')}`
    log.write({level: 'info', event: 'reloaded', message, secrets: count})
    if (certificate !== 'changed') return
    this.warnedAt = Number.NEGATIVE_INFINITY
    this.warnOfEnd()
  }

  /** Uses the certificate if it is a new one, and returns whether it is. Throws a usage error if it must not be used. */
  private async renewCertificate(): Promise<boolean> {
    const {readIdentity, onIdentity, clock} = this.options
    const identity = await readIdentity()
    if (identity === undefined || identity.cert + identity.key === pairOf(this.identity)) return false
    if (identity.endsAt <= clock())
      throw new Failure('usage', `--cert: it expired at ${isoTime(identity.endsAt)}`, {code: 'expired'})
    if (identity.beginsAt > clock())
      throw new Failure('usage', `--cert: it is valid from ${isoTime(identity.beginsAt)} on`, {
        code: 'too_early',
      })
    onIdentity(identity)
    this.identity = identity
    return true
  }

  /** Does `work`, which returns whether something changed. If it fails, what is in use is kept, and a line says why. */
  private async attempt(what: string, work: () => Promise<boolean>): Promise<'changed' | 'same' | 'refused'> {
    try {
      return (await work()) ? 'changed' : 'same'
    } catch (error) {
      const isExpected = error instanceof Failure || error instanceof StorageError
      const why = isExpected ? error.message : 'internal error'
      const reason = error instanceof Failure ? error.details.code : undefined
      const message = `${what}, and what was in use is kept: ${why}`
      this.options.log.write({level: 'warn', event: 'warning', message, reason})
      return 'refused'
    }
  }

  /** Warns of a certificate that ends soon, at most once a day. Returns whether it did. */
  private warnOfEnd(): boolean {
    const {log, clock} = this.options
    const now = clock()
    const left = (this.identity?.endsAt ?? Number.POSITIVE_INFINITY) - now
    if (left >= CERTIFICATE_WARNING_SECONDS || now - this.warnedAt < DAY_SECONDS) return false
    this.warnedAt = now
    const ends = isoTime(now + left)
    const message = left > 0 ? `the certificate ends at ${ends}` : `the certificate expired at ${ends}`
    log.write({level: 'warn', event: 'warning', message})
    return true
  }
}

function pairOf(identity: Identity | undefined): string | undefined {
  return identity && identity.cert + identity.key
}

function hashOf(path: string): string {
  try {
    // A pipe can be read once only, and waiting for one would stop everything.
    if (!statSync(path).isFile()) return ''
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return ''
  }
}
