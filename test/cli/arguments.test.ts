import {describe, expect, test} from 'vitest'
import {readOrder, wantsJson} from '../../src/cli/usage/arguments.js'
import {GLOBAL_SWITCHES, GLOBAL_VALUES, globalFlags} from '../../src/cli/usage/global-flags.js'
import {thrownBy} from '../support/thrown.js'

const IDS = ['login', 'whoami', 'hotels:search', 'sandbox:start', 'reserve', 'profiles:use']
const order = (line: string) => readOrder(line === '' ? [] : line.split(' '), IDS)

describe('the command', () => {
  test.each([
    ['whoami', 'whoami', ''],
    ['hotels search --city 1', 'hotels:search', '--city 1'],
    ['hotels:search --city 1', 'hotels:search', '--city 1'],
    ['--json hotels search', 'hotels:search', '--json'],
    ['--profile x hotels search --city 1', 'hotels:search', '--profile x --city 1'],
    ['--profile=x --quiet hotels search', 'hotels:search', '--profile=x --quiet'],
    ['hotels --json search', 'hotels:search', '--json'],
    ['-v whoami', 'whoami', '-v'],
    ['reserve off_1 --wait', 'reserve', 'off_1 --wait=900'],
    ['reserve off_1 --wait=5 -- --wait', 'reserve', 'off_1 --wait=5 -- --wait'],
    ['reserve --wait 60 off_1 --yes', 'reserve', '--wait=60 off_1 --yes'],
    ['reserve --wait off_1', 'reserve', '--wait=900 off_1'],
    ['profiles use whoami', 'profiles:use', 'whoami'],
  ])('%s', (line, id, argv) => {
    expect(order(line)).toEqual({kind: 'run', id, argv: argv === '' ? [] : argv.split(' ')})
  })
})

describe('help and version', () => {
  test.each([
    ['', []],
    ['--help', []],
    ['-h', []],
    ['help', []],
    ['help hotels search', ['hotels', 'search']],
    ['hotels search --help', ['hotels', 'search']],
    ['--json hotels search -h --nonsense', ['hotels', 'search']],
    ['hotels', ['hotels']],
    ['help hotels', ['hotels']],
    ['help help', []],
    ['help environment', ['environment']],
    ['--json help exit-codes', ['exit-codes']],
    ['help hotels --json search', ['hotels', 'search']],
    ['--help hotels search', ['hotels', 'search']],
    ['--profile x -h reserve', ['reserve']],
  ])('%j shows help', (line, subject) => {
    expect(order(line)).toEqual({kind: 'help', subject})
  })

  test.each(['--version', 'version', '--json version', '--json --version'])('%s', line => {
    expect(order(line).kind).toBe('version')
  })

  test('help after -- is an argument', () => {
    expect(order('reserve -- --help').kind).toBe('run')
  })
})

test('no command with --json is a question for the list of them', () => {
  expect(order('--json')).toEqual({kind: 'list', subject: []})
  expect(order('hotels --json')).toEqual({kind: 'list', subject: ['hotels']})
})

describe('refusals', () => {
  test.each([
    ['whomi', 'unknown_command', 'bookctl whoami'],
    ['hotels serch', 'unknown_command', 'bookctl hotels search'],
    ['help whomi', 'unknown_command', 'bookctl help whoami'],
    ['help enviroment', 'unknown_command', 'bookctl help environment'],
    ['hotles', 'unknown_command', 'bookctl hotels'],
    ['exit-codes', 'unknown_command', 'bookctl help exit-codes'],
    ['help nonsense-of-all-kinds', 'unknown_command', 'bookctl --help'],
    ['--nonsense whoami', 'no_command', 'bookctl --help'],
    ['hotel search --city 1', 'unknown_command', '`bookctl hotels search`'],
    ['hotel serach', 'unknown_command', '`bookctl hotels search`'],
    ['sandbx start --port 1', 'unknown_command', '`bookctl sandbox start`'],
    ['reserv off_1', 'unknown_command', '`bookctl reserve`'],
    ['search --city 1', 'unknown_command', '`bookctl hotels search`'],
    ['help hotel search', 'unknown_command', '`bookctl help hotels search`'],
    ['--jsn hotels search', 'unknown_flag', '--json'],
    ['--timout 3 whoami', 'unknown_flag', '--timeout'],
    ['--city 1 hotels search', 'no_command', 'after its name'],
  ])('%s', (line, code, hint) => {
    const failure = thrownBy(() => order(line))
    expect(failure).toMatchObject({kind: 'usage', details: {code}})
    expect(failure.details.hint).toContain(hint)
  })

  test.each(['sk_live_abc', '--x=sk_test_abc', 'whsec_abc'])('a secret is not echoed: %s', word => {
    const failure = thrownBy(() => order(`login ${word}`))
    expect(failure.details.code).toBe('secret_on_command_line')
    expect(JSON.stringify([failure.message, failure.details])).not.toContain('abc')
  })
})

test.each([
  ['whoami --json', true],
  ['whoami --format json', true],
  ['whoami --format=json', true],
  ['whoami -- --json', false],
  ['whoami', false],
])('%s wants JSON: %s', (line, wanted) => {
  expect(wantsJson(line.split(' '))).toBe(wanted)
})

test('every global flag is known before the command, with or without a value', () => {
  for (const [name, flag] of Object.entries(globalFlags)) {
    const set = flag.type === 'boolean' ? GLOBAL_SWITCHES : GLOBAL_VALUES
    expect(set).toContain(`--${name}`)
  }
})
