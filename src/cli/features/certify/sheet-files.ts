/** The files that `sandbox certify` and `sandbox run --certify` write the sheet to. */
import {resolve} from 'node:path'
import * as Flags from '@oclif/core/flags'
import {writeWholeFile} from '../../../storage/files.js'
import {junitXml} from './junit.js'
import type {CertifySheet} from './sheet.js'

export const sheetFlags = {
  complete: Flags.boolean({summary: 'also fail if a required rule was not shown'}),
  junit: Flags.string({helpValue: 'FILE', summary: 'write the sheet as JUnit XML, for CI'}),
}

/** Writes the files that are asked for, and replaces those of an earlier run. Throws a StorageError. */
export async function writeSheets(sheet: CertifySheet, {junit}: {readonly junit?: string | undefined}) {
  if (junit !== undefined) {
    await writeWholeFile(resolve(junit), [Buffer.from(junitXml(sheet))], {existing: 'replace'})
  }
}
