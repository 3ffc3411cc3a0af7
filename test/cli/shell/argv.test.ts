import {describe, expect, test} from 'vitest'
import {orderArgv, wantsJson} from '../../../src/cli/shell/argv.js'
import {ALIASES, unknownCommand} from '../../../src/cli/shell/command-names.js'
import {runHere} from '../../support/in-process.js'
import {COMMANDS} from '../../support/manifest.js'

const words = (line: string) => (line === '' ? [] : line.split(' '))

describe('the order oclif reads', () => {
  test.each([
    ['hotels search --city 1', 'hotels search --city 1'],
    ['hotels:search --city 1', 'hotels:search --city 1'],
    ['--json hotels search', 'hotels search --json'],
    ['--profile x hotels search --city 1', 'hotels search --profile x --city 1'],
    ['hotels --json search', 'hotels search --json'],
    ['-v whoami', 'whoami -v'],
    ['profiles use whoami', 'profiles use whoami'],
    ['api GET --json /account -- --help', 'api GET /account --json -- --help'],
    ['--json', ''],
    ['--json --version', 'version --json'],
    ['whoami --version', 'whoami --version'],
    ['--json --nonsense whoami', '--nonsense whoami --json'],
    ['__complete profiles --help', '__complete -- profiles --help'],
  ])('%s', (line, ordered) => {
    expect(orderArgv(words(line))).toEqual(words(ordered))
  })
})

test.each([
  ['whoami --json', true],
  ['whoami --format json', true],
  ['whoami --format=json', true],
  ['whoami -- --json', false],
  ['whoami', false],
  ['__complete fish --json :', false],
])('%s wants JSON: %s', (line, wanted) => {
  expect(wantsJson(line.split(' '))).toBe(wanted)
})

describe('help', () => {
  const FIRST = /^Work with the Partner Booking Service/
  const SEARCH = /^Search hotel offers/
  const HOTELS = /^Search hotels, show one/
  test.each([
    ['', FIRST],
    ['--help', FIRST],
    ['help help', FIRST],
    ['help hotels search', SEARCH],
    ['hotels search a b --help', SEARCH],
    ['--json hotels search -h --nonsense', SEARCH],
    ['help hotels --json search', SEARCH],
    ['--help hotels search', SEARCH],
    ['hotels', HOTELS],
    ['hotels --nonsense --help', HOTELS],
    ['--profile x -h reserve', /^Book an offer/],
    ['help environment', /^A flag overrides its variable/],
    ['--json help exit-codes', /^Exit codes do not depend on --json/],
  ])('%j', async (line, text) => {
    const stdout = expect.stringMatching(text)
    expect(await runHere(words(line))).toMatchObject({exit: 0, stderr: '', stdout})
  })

  test('after -- is an argument', async () => {
    expect((await runHere(['voucher', 'download', '--', '--help', 'x'])).exit).toBe(2)
  })
})

test('no command, or a group alone, with --json is a question for the list of commands', async () => {
  const commands = async (line: string) => JSON.parse((await runHere(words(line))).stdout).commands
  expect((await commands('--json')).length).toBeGreaterThan(50)
  const hotels = ['hotels price', 'hotels search', 'hotels show']
  expect((await commands('hotels --json')).map(({command}: {command: string}) => command)).toEqual(hotels)
})

describe('refusals', () => {
  test.each([
    ['hotels serch', 'unknown_command', 'bookctl hotels search'],
    ['help whomi', 'unknown_command', 'bookctl help whoami'],
    ['exit-codes', 'unknown_command', 'bookctl help exit-codes'],
    ['help nonsense-of-all-kinds', 'unknown_command', 'bookctl --help'],
    ['--nonsense whoami', 'no_command', 'bookctl --help'],
    ['hotel search --city 1', 'unknown_command', '`bookctl hotels search`'],
    ['reserv off_1', 'unknown_command', '`bookctl reserve`'],
    ['get RSV-1', 'unknown_command', '`bookctl reservations show` or `bookctl api`'],
    ['auth status', 'unknown_command', '`bookctl whoami`?'],
    ['help book', 'unknown_command', '`bookctl help reserve`'],
    ['reservations create', 'unknown_command', '`bookctl reserve`'],
    ['webhooks events resend evt_1', 'unknown_command', '`bookctl webhooks events replay`'],
    ['voucher open RSV-1', 'unknown_command', '`bookctl voucher download`'],
    ['sandbox balance', 'unknown_command', '`bookctl account`'],
    ['sandbox logs', 'unknown_command', '`bookctl sandbox requests`'],
    ['sandbox tail', 'unknown_command', '`bookctl sandbox requests`'],
    ['account balance', 'unexpected_argument', '`bookctl account`'],
    ['journal list --limit 3', 'unexpected_argument', '`bookctl journal`'],
    ['reservations constructor', 'unknown_command', 'bookctl reservations --help'],
    ['-V', 'unknown_flag', '`bookctl --version`'],
    ['account -V', 'unknown_flag', '`bookctl --version`'],
    ['account --output json', 'unknown_flag', '--format'],
    ['reserve -y', 'unknown_flag', '--yes'],
    ['--jsn hotels search', 'unknown_flag', '--json'],
    ['voucher download R1 --output v.pdf', 'unknown_flag', '--file?'],
    ['voucher download R1 --output json', 'unknown_flag', '--format?'],
    ['reservations cancel R1 --force', 'unknown_flag', '--yes?'],
    ['hotels search --from 2030-06-01', 'unknown_flag', '--check-in?'],
    ['account --raw', 'unknown_flag', 'run with --help'],
    ['dem off_1', 'unknown_command', '`bookctl demo`'],
    ['tomo', 'unknown_command', 'bookctl --help'],
    ['--city 1 hotels search', 'no_command', 'after its name'],
    ['hotels -- search', 'no_command', 'after its name'],
    ['hotels search a b', 'unexpected_argument', '--city'],
  ])('%s', async (line, code, hint) => {
    const {exit, stdout} = await runHere(['--json', ...words(line)])
    const error = {code, hint: expect.stringContaining(hint)}
    expect({exit, ...JSON.parse(stdout)}).toMatchObject({exit: 2, error})
  })

  test('every word of another program is answered with commands that exist', () => {
    const ids = Object.keys(COMMANDS)
    for (const word of ALIASES.keys()) {
      const {hint = ''} = unknownCommand(word.split(' '), ids).details
      const named = [...hint.matchAll(/`bookctl ([^`]+)`/g)].map(([, name = '']) => name.replaceAll(' ', ':'))
      expect([word, named.length > 0]).toEqual([word, true])
      for (const name of named) expect(ids.some(id => `${id}:`.startsWith(`${name}:`))).toBe(true)
      expect(ids).not.toContain(word.replaceAll(' ', ':'))
    }
  })

  test.each(['sk_live_abc', '--x=sk_test_abc', 'whsec_abc', 'sk_live_abc:x'])(
    'a secret is not echoed: %s',
    async word => {
      for (const before of ['login', 'nonsense', 'help', 'hotels', '--help', 'account x:y z']) {
        const {exit, stdout, stderr} = await runHere([...words(before), word, '--json'])
        expect([exit, JSON.parse(stdout).error.code]).toEqual([2, 'secret_on_command_line'])
        expect(stdout + stderr).not.toContain('abc')
      }
    },
  )
})
