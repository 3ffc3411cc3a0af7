/** The script of docs/scripting.md that books a group, run by bash as it is printed there. */
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {parse} from 'csv-parse/sync'
import {beforeEach, expect, onTestFinished, test} from 'vitest'
import type {Home} from '../support/bookctl.js'
import {ownHome} from '../support/own.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {Shell} from '../support/shell.js'
import {sheetOf} from './batch-files.js'

const page = readFileSync(new URL('../../docs/scripting.md', import.meta.url), 'utf8')
const [, SCRIPT = ''] = /^```bash\n(#!.*?)^```/ms.exec(page) ?? []
const CREATE = 'reservations.create'

const sandbox = await sandboxOfFile()
let home: Home
let shell: Shell
let group = ''
let groups = 0
beforeEach(() => {
  home = ownHome(sandbox.env)
  shell = new Shell(home)
  group = `S${++groups}`
  writeFileSync(join(home.directory, 'book-group.sh'), SCRIPT)
})

/** Runs the script with `sheet` as its file, without a pause from one run to the next. */
async function runScript(sheet: string, most = '9000 EUR') {
  writeFileSync(join(home.directory, 'trips.csv'), sheet)
  const argv = ['book-group.sh', 'trips.csv', most, '0']
  const child = spawn('bash', argv, {cwd: home.directory, env: shell.env, stdio: ['ignore', 'pipe', 'pipe']})
  onTestFinished(() => void child.kill())
  const said = {stdout: '', stderr: ''}
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', text => (said[name] += text))
  const [exit] = await once(child, 'close')
  return {exit: exit as number, ...said, rows: rowsOf(said.stdout)}
}

const rowsOf = (csv: string) => parse(csv, {columns: true}) as Record<string, string>[]
const read = (name: string) => readFileSync(join(home.directory, name), 'utf8')
const vouchers = () => readdirSync(join(home.directory, 'vouchers')).sort()

test('books every trip of a spreadsheet, downloads the vouchers, and books nothing when it is run again', async () => {
  const sheet = sheetOf([`${group}-1`, `${group}-2`])
  const {exit, rows, stderr} = await runScript(sheet)
  expect(exit, stderr).toBe(0)
  expect(rows.map(row => [row.client_reference_id, row.outcome])).toEqual([
    [`${group}-1`, 'confirmed'],
    [`${group}-2`, 'confirmed'],
  ])
  expect(vouchers()).toEqual(rows.map(row => `${row.reservation_ref}.pdf`).sort())
  expect(rowsOf(read('plan.csv')).map(row => row.client_reference_id)).toEqual([`${group}-1`, `${group}-2`])
  expect(rowsOf(read('failed.csv').replace('\ufeff', ''))).toEqual([])

  const again = await runScript(sheet)
  expect(again.exit).toBe(0)
  expect(again.rows.map(row => row.reservation_ref)).toEqual(rows.map(row => row.reservation_ref))
})

test('prints the mistakes of the file with their lines, and sends nothing', async () => {
  const {exit, stdout, stderr} = await runScript(
    sheetOf([`${group}-1`]).replace(';1990-05-17;', ';1990-05-37;'),
  )
  expect({exit, stdout}).toEqual({exit: 2, stdout: ''})
  expect(stderr).toContain('line 2, column birth_date')
})

test('books nothing when the plan costs more than the limit', async () => {
  const {exit, rows, stderr} = await runScript(sheetOf([`${group}-1`]), '1 EUR')
  expect({exit, rows}).toEqual({exit: 2, rows: []})
  expect(stderr).toContain('more than --max-total 1 EUR')
})

test('ends with 3 when a trip stays refused, with the reason in failed.csv, and the others are booked', async () => {
  const {exit, rows} = await runScript(sheetOf([`${group}-1-sold_out`, `${group}-2`]))
  expect(exit).toBe(3)
  expect(rows.map(row => row.outcome)).toEqual(['refused', 'confirmed'])
  const failed = rowsOf(read('failed.csv').replace('\ufeff', '').replaceAll(';', ','))
  expect(failed.map(row => row.client_reference_id)).toEqual(Array(2).fill(`${group}-1-sold_out`))
  expect(failed[0]?.why).toContain('rooms_unavailable')
  expect(vouchers()).toHaveLength(1)
})

test('finds out an unknown outcome by itself, and books the rest', async () => {
  await sandbox.fault({operation: CREATE, kind: 'commit-then-drop', times: 8})
  const {exit, rows, stderr} = await runScript(sheetOf([`${group}-1`, `${group}-2`]))
  expect(stderr).toContain('finding out')
  expect(exit, stderr).toBe(0)
  expect(rows.map(row => row.outcome)).toEqual(['confirmed', 'confirmed'])
})

test('ends with 6 while the service is down, and books once it is back', async () => {
  await sandbox.fault({operation: 'hotels.search', kind: 'status', status: 503, times: 4})
  const sheet = sheetOf([`${group}-1`])
  expect(await runScript(sheet)).toMatchObject({exit: 6, rows: []})
  expect(await runScript(sheet)).toMatchObject({exit: 0, rows: [{outcome: 'confirmed'}]})
})

test('says where to pay, and has the voucher once it is paid', async () => {
  const sheet = sheetOf([`${group}-1`])
    .replace(';currency;', ';currency;pay;')
    .replace(';EUR;', ';EUR;instant;')
    .replace(`${group}-1;;`, `${group}-1;;;`)
  const {exit, rows, stderr} = await runScript(sheet)
  expect({exit, outcome: rows[0]?.outcome}, stderr).toEqual({exit: 8, outcome: 'pending'})
  expect(rows[0]?.payment_url).toMatch(/^http/)

  await sandbox.recordIn(home)
  expect(await home.run(['sandbox', 'pay', rows[0]?.reservation_ref ?? ''])).toMatchObject({exit: 0})
  const paid = await runScript(sheet)
  expect(paid).toMatchObject({
    exit: 0,
    rows: [{outcome: 'confirmed', reservation_ref: rows[0]?.reservation_ref}],
  })
  expect(vouchers()).toEqual([`${rows[0]?.reservation_ref}.pdf`])
})
