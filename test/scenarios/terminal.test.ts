/** The questions that a person at a terminal is asked. */
import {spawnSync} from 'node:child_process'
import process from 'node:process'
import {stripVTControlCharacters} from 'node:util'
import {expect, test} from 'vitest'
import {textWidth} from '../../src/cli/terminal/text.js'
import {ENTRY} from '../support/bookctl.js'
import {ownHome} from '../support/own.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {GUESTS, offerIn, reservationIn, SEARCH} from '../support/stay.js'
import {atTerminal, ends, KEYS} from '../support/terminal.js'

const sandbox = await sandboxOfFile()
const {home} = sandbox

test('login says at once what is wrong with an answer, and offers no way to show the secret', async () => {
  const person = ownHome()
  const terminal = atTerminal(person, ['login'])
  await ends(
    terminal,
    0,
    ['Base URL', 'https://service.test/v2\r'],
    ['must end in /v1', `${KEYS['ctrl-u']}${sandbox.baseUrl}\r`],
    ['Client id', 'somebody\r'],
    ['must start with cid_', `${KEYS['ctrl-u']}cid_sandbox\r`],
    ['Client secret', 'sk_test_nonsense\r'],
    ['does not accept the client id and secret'],
    ['Client secret of cid_sandbox, again', 'sk_test_sandbox\u0014\r'],
    [/Next:\s+see the account: bookctl account/],
  )
  expect(terminal.raw()).not.toContain('toggle')
  expect(terminal.raw()).not.toContain('sk_test')
})

test('reserve asks for consent once, and not again for an existing reservation', async () => {
  const offer = await offerIn(home)
  const argv = ['reserve', offer, '--pay', 'account', ...GUESTS]
  const first = atTerminal(home, argv)
  await ends(first, 0, [/Reserve this for \d+\.\d\d EUR \(TEST\)\?/, 'y\r'])
  const again = atTerminal(home, argv)
  expect(await again.exit).toBe(0)
  expect(again.raw()).not.toMatch(/Reserve this .*\(TEST/)
  const reference = /^reservation:\s+(RSV-\w+)/m
  expect(reference.exec(first.raw())?.[1]).toMatch(/^RSV-/)
  expect(reference.exec(again.raw())?.[1]).toBe(reference.exec(first.raw())?.[1])
})

test('what is missing is asked for, with what the machine knows to choose from', async () => {
  const terminal = atTerminal(home, ['webhooks', 'create', '--dry-run'])
  await ends(
    terminal,
    0,
    ['(--url)', 'http://partner.example/hooks\r'],
    ['must start with https://', `${KEYS['ctrl-u']}https://partner.example/hooks\r`],
    ['[ ] voucher.ready', `${KEYS.space}6\r`],
  )
  expect(terminal.raw()).toMatch(/"reservation\.confirmed",\s+"voucher\.ready"\s/)
})

test('the voucher picker offers confirmed reservations of this client only', async () => {
  const person = ownHome(sandbox.env)
  const confirmed = await reservationIn(person)
  const pending = await reservationIn(person, 'instant')
  const picker = (env = {}) => atTerminal(person, ['voucher', 'download'], {env})
  const here = picker()
  await here.waitFor('Other (type it)')
  expect(here.screen()).toContain(confirmed)
  expect(here.screen()).not.toContain(pending)
  here.press('enter')
  expect(await here.exit).toBe(0)
  expect(here.screen()).toContain(`voucher-${confirmed}.pdf`)
  const elsewhere = picker({
    BOOKCTL_CLIENT_ID: 'cid_sandbox_poor',
    BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox_poor',
  })
  await elsewhere.waitFor('(REF)')
  expect(elsewhere.screen()).not.toContain(confirmed)
  elsewhere.press('ctrl-c')
  expect(await elsewhere.exit).toBe(130)
})

test('SIGTERM at a question ends with 143 and leaves the terminal as it was', async () => {
  const terminal = atTerminal(home, [], {
    command: [
      'bash',
      '-c',
      `stty -g; ${process.execPath} ${ENTRY} voucher download; echo "exit $?"; stty -g`,
    ],
  })
  await terminal.waitFor('(REF)')
  spawnSync('pkill', ['-TERM', '-P', String(terminal.pid())])
  await ends(terminal, 0, ['exit 143'])
  const [before, after] = terminal.raw().match(/[0-9a-f]+(:[0-9a-f]+){10,}/g) ?? []
  expect(after).toBe(before)
})

test.each([
  ['whoami', '--nonsense', 'of', 'a', 'kind', 'that', 'is', 'not', 'there'],
  ['hotels', 'search', '--city', '101', '--check-in', 'soon', '--nights', 'none', '--room', 'x'],
  [...SEARCH, '--limit', '1', '-vv', '--print-curl'],
  'webhooks create --url https://a.example/ --event unheard.of --event not.known --dry-run'.split(' '),
])('on stderr no line is wider than the terminal: %j', async (...argv) => {
  const columns = 40
  const command = ['bash', '-c', '"$0" "$@" >/dev/null', process.execPath, ENTRY, ...argv]
  const env = {...sandbox.env, BOOKCTL_NO_INPUT: '1'}
  const terminal = atTerminal(home, [], {columns, env, command})
  await terminal.exit
  const lines = stripVTControlCharacters(terminal.raw()).trim().split(/\r?\n/)
  expect(lines.length).toBeGreaterThan(1)
  // A single word, or a quoted word in a command, cannot be broken.
  const canBreak = (line: string) => /\S \S/.test(line.replace(/ \\$/, '').replace(/"[^"]*"|'[^']*'/g, '_'))
  expect(lines.filter(line => textWidth(line) > columns && canBreak(line))).toEqual([])
})
