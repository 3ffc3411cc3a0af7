/** `help scopes`: every scope with what it allows, and each command that calls the service with the scopes that it needs. */
import {expect, test} from 'vitest'
import {scopesTopic} from '../../../../src/cli/shell/help/scopes.js'
import {
  type CalledOperations,
  OPERATIONS,
  type OperationName,
  SCOPES,
} from '../../../../src/contract/operations.js'
import {errandOf, nameOfRow, ROWS} from '../../../proof/faults/commands.js'
import {Side} from '../../../proof/shared/scene.js'
import {COMMANDS} from '../../../support/manifest.js'
import {sandboxOfFile} from '../../../support/served-sandbox.js'

const sandbox = await sandboxOfFile()
const side = new Side(sandbox.origin)
const parts = scopesTopic(Object.values(COMMANDS))
const [scopes = [], commands = []] = parts.flatMap(part => (typeof part === 'string' ? [] : [part.rows]))
const needed = new Map(commands.map(([command, needs]) => [command.replaceAll(' ', ':'), needs]))

const operationsOf = (id: string) =>
  (COMMANDS[id] as {operations?: CalledOperations} | undefined)?.operations ?? {}

/** The rows of all commands whose requests need a scope. `api` calls what it is told to. */
const ASKING = ROWS.filter(
  ({command, isControl, nature}) => !isControl && !/^(token|revoke|link)$/.test(nature) && command !== 'api',
)

test('prints each scope with what it allows, and each command', async () => {
  const {exit, stdout} = await sandbox.home.run(['help', 'scopes'], {env: {COLUMNS: '100'}})
  expect(exit).toBe(0)
  expect(scopes).toEqual(Object.entries(SCOPES))
  for (const [scope, meaning] of scopes) expect(stdout).toMatch(new RegExp(`^  ${scope} +${meaning}$`, 'm'))
  for (const [command, needs] of commands)
    expect(stdout).toMatch(new RegExp(`^  ${command} +${needs.split(' ')[0]}`, 'm'))
})

test.for(ASKING.map(row => [nameOfRow(row), row] as const))('%s', async ([, row]) => {
  const declared = operationsOf(row.command)
  const needs = needed.get(row.command) ?? ''
  for (const name of Object.keys(declared) as OperationName[]) expect(needs).toContain(OPERATIONS[name].scope)
  // It runs until it is stopped.
  if (row.command === 'webhooks:listen') return
  const {argv} = await errandOf(row, side)
  const before = (await sandbox.listed('requests')).at(-1)?.request_id
  const {exit, stderr} = await sandbox.home.run(argv)
  // An instant payment is still awaited.
  expect([0, 8], stderr).toContain(exit)
  const requests = await sandbox.listed('requests')
  const sent = requests.slice(requests.findIndex(({request_id}) => request_id === before) + 1)
  const called = sent.flatMap(({operation}) =>
    OPERATIONS[operation as OperationName]?.scope ? operation : [],
  )
  expect(called).not.toEqual([])
  expect(Object.keys(declared)).toEqual(expect.arrayContaining(called))
  const always = Object.keys(declared).filter(name => declared[name as OperationName] === '')
  if (row.part === undefined) expect(called).toEqual(expect.arrayContaining(always))
})

test('every request that a command is known to send is among its operations', () => {
  for (const {command, method, path} of ASKING) {
    const name = Object.keys(OPERATIONS).find(each => {
      const {path: template, method: own} = OPERATIONS[each as OperationName]
      return own === method && path.test(`/partner-api/v1${template.replace(/\{\w+\}/g, 'X')}`)
    })
    expect(operationsOf(command), `${command} ${method} ${path}`).toHaveProperty([name ?? 'none'])
  }
})

test('a command is listed if, and only if, it calls the service', () => {
  const calling = new Set(ASKING.map(({command}) => command))
  // These call it with values that no row has, a file of trips and a token instead of credentials, leave out what it fails to say, or
  // call what a client asks for.
  for (const id of ['reserve:batch', 'whoami', 'explain', 'mcp']) calling.add(id)
  expect([...needed.keys()].sort()).toEqual([...calling].sort())
})
