/** Downloads a voucher to a new file, completely or not at all, or to standard output. */
import {createHash} from 'node:crypto'
import {resolve} from 'node:path'
import {usage} from '../../../contract/failure.js'
import {pathOf} from '../../../contract/operations.js'
import {StorageError} from '../../../storage/errors.js'
import {checkWritable, requireNewFile} from '../../input/files.js'
import type {Connection} from '../../session/connect.js'
import {type DryChange, dryRequest, dryRun} from '../../session/dry-run.js'
import type {Target} from '../../session/resolve.js'
import type {Result} from '../../terminal/result.js'

/** The flags as typed. `-` as `file` is standard output (default: a name made from the reference, in the working directory). */
interface VoucherFlags {
  readonly file?: string | undefined
  readonly force?: boolean
  readonly wait?: number | undefined
  readonly json?: boolean | undefined
}

/**
 * Returns the file to write; undefined for standard output. Sends nothing. Throws a usage error if the file cannot be created.
 */
export function planVoucher(reference: string, {file, force, json}: VoucherFlags): string | undefined {
  if (file === '-') {
    if (!json) return undefined
    throw usage('invalid_input', '--file - writes the PDF to standard output, where --json has no place')
  }
  const path = file ?? `voucher-${reference.replace(/[^\w.-]/g, '_')}.pdf`
  checkWritable('--file', path)
  if (!force) requireNewFile(path, 'name another with --file, or add --force to replace it')
  return path
}

/** Fetches the PDF and writes it to `path`. Throws Failure or StorageError, and then leaves no new file. */
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
    if (error instanceof StorageError && error.fault === 'not_writable') checkWritable('--file', path)
    throw error
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return {reservation_ref: reference, path, bytes: bytes.length, sha256}
}

/** Describes the request and the file for `--dry-run`. The signed link that would be fetched next is only in the answer. */
export function describeDownload(target: Target, reference: string, path: string | undefined): Result {
  const url = target.baseUrl + pathOf('voucher.show', {reservation_ref: reference})
  const file = path && {file: resolve(path), action: 'create', what: 'the voucher, a PDF'}
  return dryRun([dryRequest('GET', url)], file ? [file as DryChange] : [])
}

export async function fetchBytes({api}: Connection, reference: string, {wait}: VoucherFlags) {
  const {fetchVoucher} = await import('../../../api/operations/vouchers.js')
  return fetchVoucher(api, reference, wait)
}
