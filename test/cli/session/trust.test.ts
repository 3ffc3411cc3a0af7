/** A file of certificate authorities is read completely or refused, and reading it always ends. */
import {execFileSync, spawn} from 'node:child_process'
import {readFileSync, truncateSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {trustedCertificates} from '../../../src/cli/session/trust.js'
import {readPem} from '../../../src/storage/files.js'
import {ownDirectory} from '../../support/own.js'
import {certificateFile} from '../../support/tls.js'

const refused = (path: string) => expect(trustedCertificates(path, {})).rejects

test('adds its certificates to those of the system', async () => {
  const all = (await trustedCertificates(certificateFile('ca'), {})) ?? []
  expect(all.length).toBeGreaterThan(10)
  expect(all.at(-1)?.trim()).toBe(readFileSync(certificateFile('ca'), 'utf8').trim())
  expect(await trustedCertificates(undefined, {})).toBeUndefined()
})

test('refuses another file as usage, without its path, and an endless one early', async () => {
  await refused('/nowhere/private-name.pem').toThrow(/^the CA file cannot be read \(ENOENT\)$/)
  await refused(tmpdir()).toThrow(/cannot be read \(EISDIR\)/)
  await refused(fileURLToPath(import.meta.url)).toThrow(/contains no PEM certificate/)
  await refused('/dev/null').toThrow(/contains no PEM certificate/)
  const damaged = join(ownDirectory(), 'damaged.pem')
  writeFileSync(damaged, readFileSync(certificateFile('ca'), 'utf8').replace('MII', 'AAA'))
  await refused(damaged).toThrow(/contains an invalid certificate/)
  await refused('/dev/zero').toThrow(/is longer than 1 MiB/)
  const long = join(ownDirectory(), 'long.pem')
  writeFileSync(long, readFileSync(certificateFile('ca')))
  truncateSync(long, 10 * 1024 ** 3)
  await refused(long).toThrow(/is longer than 1 MiB/)
})

test('reads a pipe to its end', async () => {
  const pipe = join(ownDirectory(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const words = '{ head -c 100 "$0"; sleep 0.1; tail -c +101 "$0"; } > "$1"'
  spawn('sh', ['-c', words, certificateFile('ca'), pipe])
  const certificates = await trustedCertificates(pipe, {})
  expect(certificates?.length).toBeGreaterThan(10)
  // The file is not read a second time.
  expect(await trustedCertificates(pipe, {})).toEqual(certificates)
})

test('a pipe is waited for only where a signal ends the wait', () => {
  const pipe = join(ownDirectory(), 'pipe')
  execFileSync('mkfifo', [pipe])
  expect(() => readPem(pipe)).toThrow(expect.objectContaining({code: 'EINVAL'}))
})
