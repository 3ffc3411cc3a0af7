/** Where a voucher may be written. This is decided before any request is sent. */
import {chmodSync, mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {beforeEach, expect, test} from 'vitest'
import {planVoucher} from '../../../../src/cli/features/reserve/voucher.js'
import {ownDirectory} from '../../../support/own.js'
import {thrownBy} from '../../../support/thrown.js'

let directory: string
beforeEach(() => {
  directory = ownDirectory()
})

const refusalOf = (...place: string[]) => {
  const file = join(directory, ...place, 'v.pdf')
  const {message, details} = thrownBy(() => planVoucher('RSV-1', {file}))
  expect(details.hint).toContain('--file')
  expect(details.hint).not.toContain('BOOKCTL_CONFIG_DIR')
  return message
}

test('names a directory that does not exist or is a file', () => {
  writeFileSync(join(directory, 'file'), '')
  for (const [place, problem] of [
    ['none', 'does not exist'],
    ['file', 'is not a directory'],
  ] as const)
    expect(refusalOf(place)).toBe(`--file: the directory ${join(directory, place)} ${problem}`)
})

// Root can write everywhere.
test.skipIf(process.getuid?.() === 0)('a directory that cannot be written is named', () => {
  mkdirSync(join(directory, 'locked'))
  chmodSync(join(directory, 'locked'), 0o500)
  expect(refusalOf('locked')).toContain('cannot be written')
})

test('a name longer than file systems take is refused before anything is sent', () => {
  const plan = (letters: number) => planVoucher('RSV-1', {file: join(directory, 'ğ'.repeat(letters))})
  expect(thrownBy(() => plan(128)).message).toContain('is too long for a file name')
  expect(plan(127)).toBeDefined()
})

test('refuses the name of a directory, whether it exists or not', () => {
  mkdirSync(join(directory, 'there'))
  for (const name of ['there', 'there/', 'none/']) {
    const {message} = thrownBy(() => planVoucher('RSV-1', {file: `${directory}/${name}`, force: true}))
    expect(message).toContain(`${name} is a directory, not a file`)
  }
})
