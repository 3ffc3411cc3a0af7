/**
 * Every command of the manifest with required values, run without them: it refuses at once without a terminal, and asks at a
 * terminal.
 */
import process from 'node:process'
import {describe, expect, test} from 'vitest'
import {ENTRY} from '../support/bookctl.js'
import {COMMANDS} from '../support/manifest.js'
import {atTerminal, type TerminalRun} from '../support/terminal.js'
import {scriptedHome} from './scripted-home.js'

/** Returns the names of the required arguments or flags. */
const required = (specs: Readonly<Record<string, {readonly required?: boolean}>>) =>
  Object.keys(specs).filter(name => specs[name]?.required)

/** The missing values of each command without arguments, as the refusal names them. */
const lacking = Object.entries(COMMANDS)
  .map(([id, {args, flags}]): [command: string, missing: string[]] => [
    id.replaceAll(':', ' '),
    [...required(args).map(name => name.toUpperCase()), ...required(flags).map(name => `--${name}`)],
  ])
  .filter(([, missing]) => missing.length > 0)

if (lacking.length < 10) throw new Error('no command of the manifest requires anything')
// `login` requires these values itself, so the manifest does not list them as required.
lacking.push(['login', ['--base-url', '--client-id', '--client-secret-stdin']])
const {service, home} = await scriptedHome()

/** A home without stored data and credentials. */
const BARE = {BOOKCTL_BASE_URL: undefined, BOOKCTL_CLIENT_ID: undefined, BOOKCTL_CLIENT_SECRET: undefined}

const envOf = (command: string) => (command === 'login' ? BARE : {})

test.each(lacking)(
  '%s is refused without a terminal, naming all that is missing',
  async (command, missing) => {
    const argv = command.split(' ')
    const env = envOf(command)
    for (const stdin of ['', 'RSV-1\n'.repeat(1000)]) {
      const {exit, stdout, stderr} = await home.run(argv, {env, stdin})
      expect({exit, stdout}).toEqual({exit: 2, stdout: ''})
      for (const name of missing) expect(stderr).toContain(name)
    }
    const code = expect.stringMatching(/^missing_/)
    expect(await home.refusal(argv, {env})).toMatchObject({exit: 2, code})
    expect(service.received).toEqual([])
  },
)

/**
 * The requests before the question. To list the choices, the command must know whether the service on this machine is the local
 * sandbox, the only service with a known path for the list.
 */
const BEFORE_ASKING = {'voucher download': ['GET /_sandbox/clock'], login: []}

describe.each(['voucher download', 'login'] as const)('%s', command => {
  const argv = command.split(' ')
  const env = envOf(command)

  test('asks at a terminal, where Ctrl-C ends it with no credentials and no change sent', async () => {
    const terminal = atTerminal(home, argv, {env})
    await terminal.waitFor(/^\? \S/m)
    terminal.press('ctrl-c')
    expect(await terminal.exit).toBe(130)
    const sent = service.received.map(({method, path}) => `${method} ${path}`)
    expect(sent).toEqual(BEFORE_ASKING[command])
    expect(service.received.filter(({headers}) => headers.authorization)).toEqual([])
  })

  test('does not wait for a pipe that stays open', async () => {
    expect(await home.run(argv, {env, stdin: null})).toMatchObject({exit: 2, stdout: ''})
  })

  test('is refused at a terminal where asking is not allowed', async () => {
    const forbidden = await Promise.all(
      [
        atTerminal(home, [...argv, '--no-input'], {env}),
        atTerminal(home, [...argv, '--json'], {env}),
        atTerminal(home, argv, {env: {...env, CI: 'true'}}),
        atTerminal(home, argv, {env: {...env, BOOKCTL_NO_INPUT: '1'}}),
        piped(argv, env),
      ].map(async terminal => ({exit: await terminal.exit, screen: terminal.screen()})),
    )
    for (const {exit, screen} of forbidden) {
      expect(exit).toBe(2)
      expect(screen.replace(/\s/g, '')).toMatch(/REF|--base-url,--client-id,--client-secret-stdin/)
    }
    expect(service.received).toEqual([])
  })
})

/** Runs with a pipe full of empty lines as stdin, and a terminal as stderr. */
function piped(argv: readonly string[], env: Record<string, string | undefined>): TerminalRun {
  const words = [process.execPath, ENTRY, ...argv].map(word => `'${word}'`).join(' ')
  return atTerminal(home, [], {
    env,
    command: ['bash', '-c', `set -o pipefail; yes '' | ${words}; exit \${PIPESTATUS[1]}`],
  })
}

test('login in a pipe names every way to give the secret', async () => {
  const hint = 'give the secret by --client-secret-stdin, --client-secret-file FILE or BOOKCTL_CLIENT_SECRET'
  expect(await home.refusal(['login'], {env: BARE})).toMatchObject({exit: 2, hint})
})
