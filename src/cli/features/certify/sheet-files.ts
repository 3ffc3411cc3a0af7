/** Writes the result of `sandbox certify` and `sandbox run --certify` to files, and checks such a file. */
import {resolve} from 'node:path'
import * as Flags from '@oclif/core/flags'
import type {CertifySheet} from '../../../contract/certificate.js'
import {isoTime, systemClock} from '../../../contract/dates.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {writeWholeFile} from '../../../storage/files.js'
import {checkWritable, readBytes} from '../../input/files.js'
import {checkedFlag} from '../../input/flags.js'
import {type Result, single} from '../../terminal/result.js'
import {junitXml} from './junit.js'
import {checkSheet, type Proof, type SheetCheck, signedSheet} from './signed-sheet.js'
import {readSigningKey, signingKey} from './signing-key.js'

export const sheetFlags = {
  complete: Flags.boolean({summary: 'also fail if a required rule was not shown'}),
  junit: checkedFlag(checkWritable)({helpValue: 'FILE', summary: 'write the sheet as JUnit XML, for CI'}),
  html: checkedFlag(checkWritable)({helpValue: 'FILE', summary: 'write the sheet as a signed page'}),
  program: Flags.string({
    helpValue: 'NAME',
    summary: 'name and version of the program, for --html (default the client)',
  }),
}

interface SheetFiles {
  readonly junit?: string | undefined
  readonly html?: string | undefined
  readonly program?: string | undefined
}

interface Maker {
  /** The configuration directory, which contains the signing key. */
  readonly directory: string
  /** The version of bookctl. */
  readonly version: string
  /** Facts about the evidence. The HTML page needs them. */
  readonly proof: Proof | undefined
}

/** Writes the files that the flags name, replacing those of an earlier run. Throws a StorageError if that fails. */
export async function writeSheets(sheet: CertifySheet, {junit, html, program}: SheetFiles, maker: Maker) {
  if (junit !== undefined) await write(junit, junitXml(sheet))
  const {directory, version, proof} = maker
  if (html === undefined || proof === undefined) return
  const facts = {program: program ?? sheet.client_id, version, madeAt: isoTime(systemClock.now()), proof}
  await write(html, signedSheet(sheet, facts, await signingKey(directory)))
}

function write(path: string, text: string): Promise<void> {
  return writeWholeFile(resolve(path), [Buffer.from(text)], {existing: 'replace'})
}

/** Maximum size of a page in bytes. A page with all rules and the evidence that is printed is much smaller. */
const MOST_PAGE_BYTES = 16 * 1024 * 1024

/** Checks a file that `--html` wrote. Throws a usage error if it cannot be read. */
export async function checkSheetFile(file: string, directory: string): Promise<SheetCheck> {
  const bytes = await readBytes('--check', file, MOST_PAGE_BYTES)
  return checkSheet(Buffer.from(bytes), readSigningKey(directory))
}

export function checkResult(file: string, check: SheetCheck): Result {
  const document = {file, ...check}
  return {...single(document, document, file), text: `${sanitizeLine(checkText(file, check))}\n`}
}

function checkText(file: string, {unchanged, key, own_key}: SheetCheck): string {
  if (key === null)
    return `${file} has no signature: it was changed, or is no sheet of sandbox certify --html`
  if (!unchanged) return `${file} was changed after it was signed`
  if (own_key) return `${file} is unchanged, and signed with the key of this machine (${key})`
  return `${file} is unchanged since it was signed, but with another key than this machine's: compare ${key} with the key that its maker names`
}
