/** Completion in real shells: what is offered, that a hostile value is data, and that reading a script starts nothing. */
import {execFileSync, spawnSync} from 'node:child_process'
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {installText, shellOf} from '../../src/cli/shell/completion-scripts.js'
import {Home} from '../support/bookctl.js'
import {CompletionHome, HOSTILE, has} from '../support/completion.js'
import {waitUntil} from '../support/wait.js'

const home = new CompletionHome()
beforeAll(async () => {
  await home.prepare()
  await home.remember()
  writeFileSync(join(home.directory, 'a file.json'), '{}')
})
afterAll(() => home.remove())

const env = () => ({
  PATH: `${home.bin}:${process.env.PATH}`,
  HOME: home.directory,
  BOOKCTL_CONFIG_DIR: home.configDirectory,
  LC_ALL: 'C.UTF-8',
})

/** What bash has in COMPREPLY after TAB at the end of `line`. */
function inBash(line: string, type = 9): string[] {
  const script = `source '${home.scriptPath('bash')}'
COMP_LINE=$1 COMP_POINT=\${#1} COMP_TYPE=$2; _bookctl; printf '%s\\n' "\${COMPREPLY[@]}"`
  const args = ['--norc', '--noprofile', '-c', script, 'bash', line, String(type)]
  const told = execFileSync('bash', args, {cwd: home.directory, env: env(), encoding: 'utf8'})
  return told.split('\n').filter(Boolean)
}

/** What fish offers at the end of `line`, without descriptions. */
function inFish(line: string): string[] {
  const script = `source '${home.scriptPath('fish')}'; complete -C $argv[1]`
  const args = ['--no-config', '-c', script, line]
  const told = execFileSync('fish', args, {cwd: home.directory, env: env(), encoding: 'utf8'})
  return told
    .split('\n')
    .filter(Boolean)
    .map(row => row.split('\t')[0] ?? '')
}

const CASES: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['bookctl hot', ['hotels']],
  ['bookctl hotels se', ['search']],
  ['bookctl --json --profile x hotels se', ['search']],
  ['bookctl hotels search --so', ['--sort']],
  ['bookctl hotels search --json --form', ['--format']],
  ['bookctl hotels search --sort ', ['price', 'stars', 'name']],
  ['bookctl hotels search --city 101 --sort st', ['stars']],
  ['bookctl webhooks create --event reservation.c', ['reservation.confirmed', 'reservation.cancelled']],
  ['bookctl webhooks ev', ['events']],
  ['bookctl webhooks events re', ['replay']],
  ['bookctl help exit', ['exit-codes']],
  ['bookctl help hotels se', ['search']],
  ['bookctl profiles use w', ['work']],
  ['bookctl --profile h', ['home']],
  ['bookctl hotels search --columns offer_id,hotel_n', ['offer_id,hotel_name']],
  ['bookctl config get nat', ['nationality']],
  ['bookctl autocomplete z', ['zsh']],
  ['bookctl reserve --template --zqx', []],
  ['bookctl account --client-id ', []],
]

const offered = (words: string[]) => [...words].sort()

describe('bash', () => {
  test.each(CASES)('%s', (line, expected) => {
    expect(offered(inBash(line))).toEqual(offered([...expected]))
  })

  test('commands, cities by name, files, and what follows = and :', () => {
    expect(inBash('bookctl ')).toEqual(expect.arrayContaining(['reserve', 'webhooks', 'help', 'version']))
    expect(inBash('bookctl hotels search --city rom')).toEqual(['301'])
    expect(inBash('bookctl hotels search --city is')).toEqual([])
    expect(inBash('bookctl hotels search --city is', 63)).toEqual(['205  Isparta, TR', '101  İstanbul, TR'])
    expect(inBash('bookctl reserve --input a')).toEqual(['a file.json'])
    expect(inBash('bookctl hotels search --sort=pr')).toEqual(['price'])
    expect(inBash('bookctl login --scope hotels:r')).toEqual(['read'])
    expect(inBash("bookctl webhooks test 'whsub_p")).toEqual(['whsub_plain'])
  })
})

describe.skipIf(!has('fish'))('fish', () => {
  test.each(CASES)('%s', (line, expected) => {
    expect(offered(inFish(line))).toEqual(offered([...expected]))
  })

  test('cities with their names, files, and what follows =', () => {
    expect(inFish('bookctl hotels search --city ')).toEqual(['101', '205', '301'])
    expect(inFish('bookctl reserve --input a')).toEqual(['a file.json'])
    expect(inFish('bookctl hotels search --sort=pr')).toEqual(['--sort=price'])
  })
})

describe.each(['bash', 'zsh', 'fish'] as const)('at a terminal: %s', shell => {
  test.skipIf(!has(shell))('TAB completes, and a hostile id arrives as one argument', async () => {
    const run = await home.shell(shell)
    run.type('bookctl hot\tse\t--so\tpri\t')
    await waitUntil(() => run.screen().includes('hotels search --sort price'), 'the completed line')
    run.type('\r')
    await run.waitFor('noted')
    expect(home.ranWith()).toEqual(['hotels', 'search', '--sort', 'price'])
    run.type('bookctl webhooks test whsub_ev\t')
    await waitUntil(() => /whsub_evil.*p4/.test(run.screen()), 'the id')
    run.type('\r')
    await waitUntil(() => home.ranWith()?.[0] === 'webhooks', 'the id')
    expect(home.ranWith()).toEqual(['webhooks', 'test', HOSTILE])
    run.type('bookctl profiles use w\t\r')
    await waitUntil(() => home.ranWith()?.[0] === 'profiles', 'the profile')
    expect(home.ranWith()).toEqual(['profiles', 'use', 'work'])
    run.type('exit\r')
    await run.exit
    expect(readdirSync(home.directory).filter(name => /^p\d$/.test(name))).toEqual([])
  })

  test.skipIf(!has(shell))('reading the script finds no program needed', () => {
    const path = execFileSync('sh', ['-c', `command -v ${shell}`], {encoding: 'utf8'}).trim()
    const quiet = {bash: ['--norc', '--noprofile'], zsh: ['-f'], fish: ['--no-config']}[shell]
    const read = shell === 'zsh' ? 'compdef() { :; }; ' : ''
    const done = spawnSync(path, [...quiet, '-c', `${read}. '${home.scriptPath(shell)}'`], {
      env: {...env(), PATH: '/nonexistent'},
      encoding: 'utf8',
    })
    expect(done).toMatchObject({status: 0, stdout: '', stderr: ''})
  })
})

test('powershell: every quote is closed, every bracket has its end, and nothing is run by its text', () => {
  const script = readFileSync(home.scriptPath('powershell'), 'utf8')
  // Strings and comments, as they come.
  const bare = script.replace(/'(?:[^']|'')*'|"[^"]*"|#.*$/gm, '')
  expect(bare).not.toMatch(/['"`]/)
  for (const [open, close] of ['()', '{}', '[]'].map(pair => pair.split('')))
    expect(bare.split(open ?? '').length).toBe(bare.split(close ?? '').length)
  expect(script).not.toMatch(/Invoke-Expression|\biex\b/i)
})

/** Places of which only this machine knows the words. */
const ASKED = [
  ['profiles', 'use', ':'],
  ['hotels', 'search', '--city', ':'],
  ['webhooks', 'test', ':'],
  ['webhooks', 'events', 'show', ':'],
  ['hotels', 'price', ':'],
  ['voucher', 'download', ':sk_live_x'],
]

describe('what is asked on TAB', () => {
  test('never fails, says nothing on stderr, and creates nothing', async () => {
    const empty = new Home()
    for (const argv of [[], ['nonsense'], ...ASKED.map(words => ['fish', ...words]), ['bash', 'bookctl "']])
      expect(await empty.run(['__complete', ...argv])).toMatchObject({exit: 0, stderr: ''})
    // On newer Nodes the compiled code is kept.
    expect(readdirSync(empty.directory).filter(name => name !== '.cache')).toEqual([])
    empty.remove()
  })

  test('broken files have no candidates', async () => {
    const broken = new Home()
    mkdirSync(broken.configDirectory)
    for (const file of ['config.json', 'state.db', 'tokens.db', 'events.db'])
      writeFileSync(join(broken.configDirectory, file), 'nonsense')
    for (const words of ASKED)
      expect(await broken.run(['__complete', 'fish', ...words])).toEqual({exit: 0, stdout: '', stderr: ''})
    broken.remove()
  })

  test('one line each, without what would not be one line or one look', async () => {
    const {stdout} = await home.run(['__complete', 'fish', 'webhooks', 'test', ':'])
    const values = stdout
      .split('\n')
      .filter(Boolean)
      .map(line => line.split('\t')[0])
    expect(values.sort()).toEqual([HOSTILE, 'whsub_plain', 'whsub_with space'].sort())
  })

  test('it is not among the commands', async () => {
    for (const argv of [['--help'], ['autocomplete', 'bash']])
      expect((await home.run(argv)).stdout).not.toMatch(/^ {2}__complete/m)
  })
})

describe('how to put it in place', () => {
  test.each([
    ['/usr/bin/zsh', 'zsh'],
    ['/bin/bash', 'bash'],
    ['/opt/pwsh', 'powershell'],
    ['/bin/dash', undefined],
    [undefined, undefined],
  ])('%s', (path, shell) => expect(shellOf(path)).toBe(shell))

  test('for the shell in use, else for all', async () => {
    const {stdout} = await home.run(['autocomplete'], {env: {SHELL: '/bin/fish'}})
    expect(stdout).toBe(installText('fish'))
    for (const shell of ['bash', 'zsh', 'fish', 'powershell'])
      expect(installText(undefined)).toContain(`bookctl autocomplete ${shell}`)
  })
})
