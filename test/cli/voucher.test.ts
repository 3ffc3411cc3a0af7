/** Where a voucher may be written, decided before anything is asked for. */
import {chmodSync, mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {beforeEach, expect, test} from 'vitest'
import {planVoucher} from '../../src/cli/features/reserve/voucher.js'
import {ownDirectory} from '../support/own.js'
import {thrownBy} from '../support/thrown.js'

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

test('a directory that does not exist is named', () => {
  expect(refusalOf('none')).toBe(`--file: the directory ${join(directory, 'none')} does not exist`)
})

test('a file in the place of the directory is named', () => {
  writeFileSync(join(directory, 'file'), '')
  expect(refusalOf('file')).toBe(`--file: the directory ${join(directory, 'file')} is not a directory`)
})

// The system lets root write everywhere.
test.skipIf(process.getuid?.() === 0)('a directory that cannot be written is named', () => {
  mkdirSync(join(directory, 'locked'))
  chmodSync(join(directory, 'locked'), 0o500)
  expect(refusalOf('locked')).toContain('cannot be written')
})

test('a name that ends as a directory is none of a file, there or not', () => {
  mkdirSync(join(directory, 'there'))
  for (const name of ['there', 'there/', 'none/']) {
    const {message} = thrownBy(() => planVoucher('RSV-1', {file: `${directory}/${name}`, force: true}))
    expect(message).toContain(`${name} is a directory, not a file`)
  }
})
