/** Downloads vouchers: each to a new file, completely or not at all, or one to standard output. */
import {createHash} from 'node:crypto'
import {existsSync, mkdirSync, statSync} from 'node:fs'
import {dirname, join, resolve} from 'node:path'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {pathOf} from '../../../contract/operations.js'
import {StorageError} from '../../../storage/errors.js'
import {invalid} from '../../input/checks.js'
import {checkWritable, requireNewFile} from '../../input/files.js'
import type {Connection} from '../../session/connect.js'
import {type DryChange, type DryRequest, dryRequest, dryRun} from '../../session/dry-run.js'
import type {Target} from '../../session/resolve.js'
import type {BaseCommand} from '../../shell/base-command.js'
import type {OutputFlags} from '../../terminal/output.js'
import type {Result} from '../../terminal/result.js'
import {workOnEach} from '../several/each.js'

export const VOUCHER_COLUMNS = ['reservation_ref', 'path', 'bytes', 'sha256'] as const

/**
 * The flags of the command. `file` is the file to write, `-` for standard output (default: a name made from the
 * reference, in `dir` or the working directory).
 */
interface VoucherFlags {
  readonly file?: string | undefined
  readonly dir?: string | undefined
  readonly force?: boolean
  readonly wait?: number | undefined
  readonly json?: boolean | undefined
  readonly 'dry-run'?: boolean | undefined
}

/**
 * Returns the path of the file to write; undefined for standard output. Makes the directory `dir`, except in a dry run.
 * Sends nothing. Throws a usage error if the file cannot be created.
 */
export function planVoucher(reference: string, flags: VoucherFlags): string | undefined {
  const {file, dir, force, json} = flags
  if (file === '-') {
    if (!json) return undefined
    throw usage('invalid_input', '--file - writes the PDF to standard output, where --json has no place')
  }
  if (dir !== undefined) makeDirectory('--dir', dir, flags['dry-run'])
  const path = file ?? pathFor(reference, dir)
  if (dir === undefined || existsSync(dir)) checkWritable(flagOf(flags), path)
  if (!force) requireNewFile(path, dir === undefined ? FILE_HINT : DIR_HINT)
  return path
}

const FILE_HINT = 'name another with --file, or add --force to replace it'
const DIR_HINT = 'name another directory with --dir, or add --force to replace it'

export function pathFor(reference: string, dir: string | undefined): string {
  const name = reference.replace(/[^\w.-]/g, '_')
  return dir === undefined ? `voucher-${name}.pdf` : join(dir, `${name}.pdf`)
}

/** Returns the flag that decides where the file is written, to name it in an error. */
function flagOf({dir}: VoucherFlags): string {
  return dir === undefined ? '--file' : '--dir'
}

/**
 * Makes the directory that `flag` names, with its parents. A dry run only checks it. Throws a usage error if it cannot
 * be made.
 */
export function makeDirectory(flag: string, dir: string, isDryRun: boolean | undefined): void {
  if (dir === '') throw invalid(flag, 'must be the name of a directory')
  try {
    const existing = statSync(dir, {throwIfNoEntry: false})
    if (existing && !existing.isDirectory())
      throw invalid(flag, `${sanitizeLine(dir, 200)} is a file, not a directory`)
    if (existing || isDryRun) return
    // Makes the parents one by one, because the recursive mkdir of Node 20 never ends in /proc, where no directory can
    // be made.
    if (!existsSync(dirname(resolve(dir)))) makeDirectory(flag, dirname(resolve(dir)), isDryRun)
    // Vouchers name people, so only the owner may read them.
    mkdirSync(dir, {mode: 0o700})
  } catch (error) {
    if (error instanceof Failure) throw error
    const {code} = error as NodeJS.ErrnoException
    const problem = `${flag}: the directory ${sanitizeLine(dir, 200)} cannot be made (${code})`
    throw usage('cannot_write', problem, `name another directory with ${flag}`)
  }
}

/** Downloads the voucher and writes it to `path`. Throws Failure or StorageError, and then leaves no new file. */
export async function saveVoucher(
  connection: Connection,
  reference: string,
  flags: VoucherFlags,
  path: string,
) {
  const bytes = await fetchBytes(connection, reference, flags)
  const {writeWholeFile} = await import('../../../storage/files.js')
  try {
    await writeWholeFile(resolve(path), [bytes], {existing: flags.force ? 'replace' : 'create'})
  } catch (error) {
    if (error instanceof StorageError && error.fault === 'not_writable') checkWritable(flagOf(flags), path)
    throw error
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return {reservation_ref: reference, path, bytes: bytes.length, sha256}
}

/**
 * Downloads the vouchers of several references, each to its own file, and prints a row for each. Throws a usage error,
 * before anything is sent, if the directory cannot be made.
 */
export async function saveVouchers(
  command: BaseCommand,
  connection: Connection,
  references: readonly string[],
  flags: VoucherFlags & OutputFlags,
): Promise<void> {
  const place = placeOf(flags)
  await workOnEach<Saved>(command, flags, references, {
    key: 'vouchers',
    columns: VOUCHER_COLUMNS,
    shown: VOUCHER_COLUMNS,
    id: 'path',
    entry: (reference, saved) => saved ?? {reservation_ref: reference, path: null, bytes: null, sha256: null},
    row: saved => saved,
    atStep: connection.atStep,
    attempt: reference => saveVoucher(connection, reference, flags, place(reference)),
  })
}

type Saved = Awaited<ReturnType<typeof saveVoucher>>

/** Throws a usage error for flags that need exactly one reference. */
export function checkForSeveral({file}: VoucherFlags): void {
  if (file === undefined) return
  throw usage('invalid_flags', '--file is for one reference', 'name a directory for several: --dir DIR')
}

/**
 * Returns a function that names the file of each reference, as `planVoucher` does. The function throws a usage error if
 * two references have the same file name, upper and lower case being equal.
 */
function placeOf(flags: VoucherFlags): (reference: string) => string {
  if (flags.dir !== undefined) makeDirectory('--dir', flags.dir, flags['dry-run'])
  const taken = new Map<string, string>()
  return reference => {
    const path = pathFor(reference, flags.dir)
    const other = taken.get(path.toLowerCase())
    if (other !== undefined) {
      const problem = `its file, ${sanitizeLine(path, 200)}, is that of ${other} too`
      throw usage('file_exists', problem, 'download it by itself, with --file')
    }
    taken.set(path.toLowerCase(), reference)
    planVoucher(reference, flags)
    return path
  }
}

/**
 * Describes the request and the file for `--dry-run`. The signed link that would be fetched next is known only from the
 * answer.
 */
export function describeDownload(target: Target, reference: string, path: string | undefined): Result {
  return dryRun([requestOf(target, reference)], path === undefined ? [] : [fileChange(path)])
}

/**
 * Describes the requests and files of several references for `--dry-run`. If the file of a reference cannot be written,
 * `warn` says why, and its request is left out.
 */
export function describeDownloads(
  target: Target,
  references: readonly string[],
  flags: VoucherFlags,
  warn: (text: string) => void,
): Result {
  const place = placeOf(flags)
  const {dir} = flags
  const changes: DryChange[] = []
  if (dir !== undefined && !existsSync(dir))
    changes.push({file: resolve(dir), action: 'create', what: 'the directory'})
  const requests: DryRequest[] = []
  for (const reference of references) {
    try {
      changes.push(fileChange(place(reference)))
      requests.push(requestOf(target, reference))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      warn(`Warning: ${reference}: ${error.message}`)
    }
  }
  return dryRun(requests, changes)
}

function requestOf(target: Target, reference: string): DryRequest {
  return dryRequest('GET', target.baseUrl + pathOf('voucher.show', {reservation_ref: reference}))
}

function fileChange(path: string): DryChange {
  return {file: resolve(path), action: 'create', what: 'the voucher, a PDF'}
}

export async function fetchBytes({api}: Connection, reference: string, {wait}: VoucherFlags) {
  const {fetchVoucher} = await import('../../../api/operations/vouchers.js')
  return fetchVoucher(api, reference, wait)
}
