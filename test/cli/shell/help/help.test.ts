/** Help is printed on stdout with exit 0, and fits the width of the terminal. */
import {execFileSync} from 'node:child_process'
import {readFileSync} from 'node:fs'
import {afterAll, describe, expect, test} from 'vitest'
import {HELP_TOPICS} from '../../../../src/cli/shell/command-names.js'
import {EXITS} from '../../../../src/cli/shell/exit-codes.js'
import {globalFlags} from '../../../../src/cli/shell/global-flags.js'
import {VARIABLE_NAMES} from '../../../../src/cli/shell/help/environment.js'
import {TOPICS} from '../../../../src/cli/shell/help/topics.js'
import {FORMATS} from '../../../../src/cli/terminal/result.js'
import {pasteable} from '../../../../src/cli/terminal/text.js'
import {Home} from '../../../support/bookctl.js'
import {COMMANDS as commands} from '../../../support/manifest.js'
import {ownHome} from '../../../support/own.js'
import {atTerminal} from '../../../support/terminal.js'

const home = new Home()
afterAll(() => home.remove())

/** Returns what `bookctl ...line` prints; expects exit 0. */
async function help(line: string, env: Record<string, string> = {}): Promise<string> {
  const done = await home.run(line.split(' ').filter(Boolean), {env})
  expect(done).toMatchObject({exit: 0, stderr: ''})
  return done.stdout
}

test('the choices of an argument are a list that breaks between them', async () => {
  const text = await help('sandbox fault add --help', {COLUMNS: '60'})
  expect(text).toMatch(/^ {2}KIND {2}what happens to the request \(one of: status,\s/m)
  for (const kind of ['commit-then-hang', 'truncate', 'html'])
    expect(text).toMatch(new RegExp(`\\s${kind}[,)]`))
})

describe('the first screen', () => {
  test('names every command or its group, every topic, and what to do first', async () => {
    const text = await help('')
    expect(await help('--help')).toBe(text)
    const [, start = '', groups = '', topics = ''] = text.split(/^(?:START HERE|COMMANDS|HELP)$/m)
    expect(start).toMatch(/^\s+bookctl demo /)
    for (const id of Object.keys(commands)) expect(groups).toMatch(new RegExp(`[ ,]${id.split(':')[0]}[,\n]`))
    for (const topic of Object.keys(HELP_TOPICS)) expect(topics).toMatch(new RegExp(`[ ,]${topic}[,\n]`))
  })

  test('fits on a terminal of 80 by 24, with the prompt below, and its headings are bold there', async () => {
    const terminal = atTerminal(home, [], {columns: 80, rows: 24})
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toMatch(/^Work with the Partner Booking Service/)
    expect(terminal.raw()).toContain('\u001b[1mSTART HERE\u001b[22m')
    expect((await help('')).split('\n').length).toBeLessThanOrEqual(24)
  })

  test('headings are bold in the help of a command, unless colour is disabled', async () => {
    for (const env of [{}, {NO_COLOR: '1'}]) {
      const terminal = atTerminal(home, ['help', 'whoami'], {env})
      expect(await terminal.exit).toBe(0)
      expect(terminal.raw().includes('\u001b[1mGLOBAL FLAGS\u001b[22m')).toBe(!('NO_COLOR' in env))
      expect(terminal.screen()).toContain('GLOBAL FLAGS')
    }
  })
})

test.each(Object.keys(commands))('%s: usage, examples and variables', async id => {
  const name = id.replaceAll(':', ' ')
  const text = await help(`help ${name}`)
  expect(text).toContain(`USAGE\n  bookctl ${name}`)
  expect(text).toContain(commands[id]?.summary.slice(0, 40))
  expect(text.match(/^ {2}\$ /gm)?.length).toBe(commands[id]?.examples.length)
  const variables = text.split('ENVIRONMENT\n')[1]?.split(';', 1)[0]?.trim().split(/,\s+/)
  expect(VARIABLE_NAMES).toEqual(expect.arrayContaining(variables ?? ['none']))
})

test.each(['profiles list', 'config path', 'journal', 'journal forget', 'webhooks events prune', 'demo'])(
  '%s calls no service, and its help names no credentials',
  async name => {
    const variables = (await help(`help ${name}`)).split('ENVIRONMENT\n')[1]?.split(';', 1)[0]
    expect(variables).not.toMatch(/_(CLIENT_ID|CLIENT_SECRET|TOKEN|SCOPES|BASE_URL)/)
    expect(variables?.includes('BOOKCTL_STORE')).toBe(/journal|events/.test(name))
  },
)

test('required flags are in the usage line', async () => {
  expect(await help('webhooks create --help')).toMatch(
    /bookctl webhooks create --event TYPE… --url HTTPS_URL \[flags\]/,
  )
})

describe('topics', () => {
  test('commands has every command, flags every flag of all', async () => {
    const all = await help('help commands')
    for (const id of Object.keys(commands))
      expect(all).toMatch(new RegExp(`^  ${id.replaceAll(':', ' ')} +\\S`, 'm'))
    const flags = await help('help flags')
    for (const name of [...Object.keys(globalFlags), 'help'])
      expect(flags).toMatch(new RegExp(`^  (-\\w, )?--${name} `, 'm'))
  })

  test('environment has every variable, exit-codes and the README every code, output every format', async () => {
    const environment = await help('help environment')
    for (const name of VARIABLE_NAMES) expect(environment).toMatch(new RegExp(`^  ${name} `, 'm'))
    const exits = await help('help exit-codes')
    const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')
    for (const {code, meaning} of Object.values(EXITS)) {
      expect(exits).toMatch(new RegExp(`^  ${code} `, 'm'))
      expect(readme).toContain(`| ${code} | ${meaning} |`)
    }
    const text = exits.replace(/\s+/g, ' ')
    expect(text).toContain('a reservation or change may have been made')
    expect(text).toMatch(/10 of reserve, .* After 10 of any other command, check first/)
    for (const format of FORMATS) expect(await help('help output')).toMatch(new RegExp(`^  ${format} `, 'm'))
  })

  test.each(['webhooks', 'sandbox'] as const)(
    '%s is a group as well: its commands, and the text',
    async name => {
      const text = await help(`help ${name}`)
      const below = Object.keys(commands).filter(id => id.startsWith(`${name}:`))
      for (const id of below) expect(text).toMatch(new RegExp(`^  ${id.replaceAll(':', ' ')} `, 'm'))
      const inOneLine = (words: string) => words.trim().replace(/\s+/g, ' ')
      for (const part of TOPICS[name])
        for (const words of typeof part === 'string' ? [part] : part.rows.flat())
          expect(inOneLine(text)).toContain(inOneLine(words))
    },
  )
})

test('80 columns in a pipe, no colour, and as many as there are at most 100', async () => {
  for (const line of ['--help', 'sandbox env -h', 'reserve -h', 'help environment', 'help webhooks']) {
    for (const [env, width] of [
      [{}, 80],
      [{COLUMNS: '40'}, 40],
      [{COLUMNS: '60'}, 60],
      [{COLUMNS: '300'}, 100],
    ] as const) {
      const text = await help(line, {FORCE_COLOR: '1', ...env})
      expect(text).not.toContain('\u001b')
      // Words longer than a line and commands to copy cannot be broken.
      const long = text.split('\n').filter(row => row.length > width && /\s\S+\s\S/.test(row.trim()))
      expect(long.filter(row => !/^ {2}(bookctl|eval) /.test(row))).toEqual([])
    }
  }
})

test('help works with broken settings and no home', async () => {
  const broken = ownHome({HOME: '/nonexistent', BOOKCTL_CONFIG_DIR: '/dev/null/x', NODE_ENV: 'development'})
  for (const line of ['--help', 'help environment', 'reserve --help', '--version', 'version --verbose'])
    expect(await broken.run(line.split(' '))).toMatchObject({exit: 0, stderr: ''})
})

describe('version --verbose', () => {
  const secrets = {
    BOOKCTL_CLIENT_SECRET: 'sk_test_planted',
    BOOKCTL_WEBHOOK_SECRET: 'whsec_planted',
    https_proxy: 'http://me:planted@proxy.example:3128',
    HTTP_PROXY: 'me:planted@proxy.example:3128',
    BOOKCTL_BASE_URL: 'https://me:planted@partners.example/v1',
  }
  test('has the directory and the variables in effect, without secrets', async () => {
    const text = await help('version --verbose', secrets)
    expect(text).toContain(`config_directory: ${home.configDirectory}`)
    expect(text).toContain('https_proxy=http://[redacted]@proxy.example:3128')
    expect(text).toContain('BOOKCTL_CLIENT_SECRET=[redacted]')
    expect(text).not.toContain('planted')
  })

  test('a flag it does not have is refused', async () => {
    const stdout = `node\n${process.version}\n`
    expect(await home.run(['version', '--columns', 'node', '--format', 'csv'])).toMatchObject({stdout})
    expect(await home.run(['version', '--query', 'name'])).toMatchObject({stdout: 'bookctl\n'})
    expect(await home.run(['version', '--columns', 'nod'])).toMatchObject({exit: 2, stdout: ''})
    expect(await home.run(['version', '--verbos'])).toMatchObject({exit: 2, stdout: ''})
  })
})

test('a broken example has the words of the example', () => {
  const examples = [
    ...Object.values(commands).flatMap(command => command.examples),
    'printf %s "a b $(printf %s "c d") e" --x \'f g\' h\\ i',
  ]
  const pasted = examples.map(command => pasteable(command, 60))
  expect(pasted.map(text => text.replace(/ \\\n {2}/g, ' '))).toEqual(examples)
  const safe = (command: string) => !/[|;&]|\$\(bookctl|>/.test(command)
  /** Returns the words that a shell reads in the lines. */
  const words = (lines: readonly string[]) => {
    const script = lines.map(line => line.replace(/bookctl/g, 'printf "<%s>"')).join('\necho\n')
    const env = {PATH: process.env.PATH, OFFER: 'off_1 x'}
    const functions = 'eval() { :; }; source() { cat "$1"; }'
    return execFileSync('bash', ['-c', `${functions}\n${script}`], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    })
  }
  expect(words(pasted.filter((_, index) => safe(examples[index] ?? '')))).toBe(words(examples.filter(safe)))
})
