/** Completion in real shells: the candidates are right, hostile values stay data, and loading a script starts no process. */
import {execFileSync, spawnSync} from 'node:child_process'
import {chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {openState} from '../../../src/state/state.js'
import {ENTRY, Home} from '../../support/bookctl.js'
import {ownHome} from '../../support/own.js'
import {atTerminal, type TerminalRun} from '../../support/terminal.js'
import {waitUntil} from '../../support/wait.js'

const home = new Home()
const BIN = join(home.directory, 'bin')
const NOTED = join(home.directory, 'noted')

/** An id that would run commands if a shell evaluated it. */
const HOSTILE = `whsub_evil'"$(touch p1)\`touch p2\`;touch p3 \\ * & | > p4`

/** The path of the completion script for `shell`, where a user would have it. */
const scriptPath = (shell: string) =>
  join(home.directory, shell === 'zsh' ? 'zfunc/_bookctl' : `completion.${shell}`)

/** Creates a home with the scripts and a `bookctl` that records its arguments. */
async function prepare(): Promise<void> {
  mkdirSync(BIN)
  mkdirSync(join(home.directory, 'zfunc'))
  const bookctl = `#!/bin/sh
if [ "$1" = __complete ]; then exec '${process.execPath}' '${ENTRY}' "$@"; fi
printf '%s\\0' "$@" > '${NOTED}.new' && mv '${NOTED}.new' '${NOTED}'
echo "no""ted"
`
  writeFileSync(join(BIN, 'bookctl'), bookctl)
  chmodSync(join(BIN, 'bookctl'), 0o755)
  for (const shell of ['bash', 'zsh', 'fish', 'powershell'])
    writeFileSync(scriptPath(shell), (await home.run(['autocomplete', shell])).stdout)
}

/** Stores values that completion offers. */
async function remember(): Promise<void> {
  const state = openState(home.configDirectory)
  state.cities.remember({baseUrl: 'https://a.example/v1'}, [
    {id: 101, name: 'İstanbul', country_code: 'TR'},
    {id: 205, name: 'Isparta', country_code: 'TR'},
    {id: 301, name: 'Rome', country_code: 'IT'},
  ])
  for (const id of ['whsub_plain', 'whsub_with space', HOSTILE, 'whsub_two\nlines', 'whsub_\u001b[2J'])
    state.secrets.putSigningSecret({subscription_id: id, profile: 'work', secret: 'whsec_x', stored_at: 1})
  const profile = {base_url: 'https://a.example/v1', client_id: 'cid_1'}
  await state.settings.update(file => file.set(['profiles'], {work: profile, home: profile}))
  state.close()
}

/** Returns the arguments of the last `bookctl` that ran. */
const ranWith = () => (existsSync(NOTED) ? readFileSync(NOTED, 'utf8').split('\0').slice(0, -1) : undefined)

/** Opens an interactive shell with completion installed. */
async function openShell(name: 'bash' | 'zsh' | 'fish'): Promise<TerminalRun> {
  const command = {
    bash: ['bash', '--norc', '--noprofile', '-i'],
    zsh: ['zsh', '-f', '-i'],
    fish: ['fish', '--no-config', '-i'],
  }[name]
  const PATH = `${BIN}:${process.env.PATH}`
  const env = {PATH, PS1: 'ready> ', INPUTRC: '/dev/null', XDG_DATA_HOME: home.directory, LC_ALL: 'C.UTF-8'}
  const run = atTerminal(home, [], {command, env, columns: 200, rows: 50})
  const setUp = {
    bash: `source ${scriptPath('bash')}; bind 'set enable-bracketed-paste off'`,
    zsh: `fpath=(${home.directory}/zfunc $fpath); autoload -Uz compinit; compinit -D -u`,
    fish: `source ${scriptPath('fish')}`,
  }[name]
  run.type(`${setUp}; echo set"up"\r`)
  await run.waitFor('setup')
  return run
}

const has = (program: string) => spawnSync(program, ['--version']).status === 0

beforeAll(async () => {
  await prepare()
  await remember()
  writeFileSync(join(home.directory, 'a file.json'), '{}')
})
afterAll(() => home.remove())

/** Lines at whose end TAB is pressed, and the candidates that bash gets. */
const CASES: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['bookctl hot', ['hotels']],
  ['bookctl --json --profile x hotels se', ['search']],
  ['bookctl hotels search --json --form', ['--format']],
  ['bookctl hotels search --sort ', ['price', 'stars', 'name']],
  ['bookctl hotels search --city 101 --sort st', ['stars']],
  ['bookctl webhooks create --event reservation.c', ['reservation.confirmed', 'reservation.cancelled']],
  ['bookctl webhooks events re', ['replay']],
  ['bookctl help exit', ['exit-codes']],
  ['bookctl profiles use w', ['work']],
  ['bookctl --profile h', ['home']],
  ['bookctl hotels search --columns offer_id,hotel_n', ['offer_id,hotel_name']],
  ['bookctl reserve --template --zqx', []],
  ['bookctl bal', []],
  ['bookctl webhooks create --event a,reservation.conf', ['a,reservation.confirmed']],
  ['bookctl reserve --wait 30 --pay inst', ['instant']],
  ['bookctl reserve --input ', [':files']],
  ['bookctl voucher download --wait 30 --file ', [':files']],
  ["bookctl webhooks test 'whsub_p", ['whsub_plain']],
]

/** Returns what bash gets when TAB is pressed at the end of `line`. `type` is its COMP_TYPE. */
async function offered(line: string, type = '9', breaks = ''): Promise<string[]> {
  const {stdout} = await home.run(['__complete', 'bash', line, type, breaks])
  return stdout.split('\n').filter(Boolean)
}

test.each(CASES)('%s', async (line, expected) => {
  expect((await offered(line)).sort()).toEqual([...expected].sort())
})

test('offers commands with their summaries, and the flags of a group', async () => {
  expect(await offered('bookctl ')).toEqual(
    expect.arrayContaining(['reserve', 'webhooks', 'help', 'version']),
  )
  expect(await offered('bookctl v', '63')).toContain('voucher  Download vouchers')
  expect(await offered('bookctl webhooks -')).toEqual(expect.arrayContaining(['--json', '-v', '--help']))
})

test('lists cities by name, and replaces what is typed only if there is one', async () => {
  expect(await offered('bookctl hotels search --city=rom')).toEqual(['--city=301'])
  expect(await offered('bookctl hotels search --city is')).toEqual([])
  const listed = await offered('bookctl hotels search --city is', '63')
  expect(listed).toEqual(['205  Isparta, TR', '101  İstanbul, TR'])
})

test('answers bash with what follows a word break or an open quote', async () => {
  const breaks = ' \t\n"\'><=;|&(:'
  expect(await offered('bookctl hotels search --sort=pr', '9', breaks)).toEqual(['price'])
  expect(await offered('bookctl login --scope hotels:r', '9', breaks)).toEqual(['read'])
  expect(await offered('bookctl login --scope "hotels:r', '9', breaks)).toEqual(['hotels:read'])
  expect(await offered("bookctl --profile=work webhooks test whsub'_w", '9', breaks)).toEqual(['_with space'])
})

test('bash 3, which cannot be asked to complete files, gets their names', () => {
  const script = `source '${scriptPath('bash')}'
compopt() { return 1; }; COMP_LINE='bookctl reserve --input a' COMP_POINT=25; _bookctl bookctl a; echo "\${COMPREPLY[@]}"`
  const env = {PATH: `${BIN}:${process.env.PATH}`, HOME: home.directory, LC_ALL: 'C.UTF-8'}
  const args = ['--norc', '--noprofile', '-c', script]
  expect(execFileSync('bash', args, {cwd: home.directory, env, encoding: 'utf8'})).toBe('a file.json\n')
})

/** Keys typed at a terminal, and the arguments that bookctl gets. */
const TYPED: readonly (readonly [typed: string, argv: readonly string[]])[] = [
  ['hotels search --sort pri\t', ['hotels', 'search', '--sort', 'price']],
  ['webhooks test whsub_ev\t', ['webhooks', 'test', HOSTILE]],
  ["webhooks test 'whsub_ev\t", ['webhooks', 'test', HOSTILE]],
  ['webhooks test "whsub_ev\t', ['webhooks', 'test', HOSTILE]],
  ['webhooks test whsub_with\\ s\t', ['webhooks', 'test', 'whsub_with space']],
  ['login --scope=hotels:r\t', ['login', '--scope=hotels:read']],
  ['hotels search --city rom\t', ['hotels', 'search', '--city', '301']],
  ['reserve --input=a\t', ['reserve', '--input=a file.json']],
  ["reserve --input 'a f\t", ['reserve', '--input', 'a file.json']],
  ['account --har ~/a\t', ['account', '--har', join(home.directory, 'a file.json')]],
]

describe.each(['bash', 'zsh', 'fish'] as const)('at a terminal: %s', shell => {
  test.skipIf(!has(shell))('TAB completes and lists, and a hostile id arrives as one argument', async () => {
    const run = await openShell(shell)
    for (const [typed, argv] of TYPED) {
      run.type(`bookctl ${typed}\r`)
      await run.waitFor('noted')
      expect(ranWith()).toEqual(argv)
    }
    run.type('bookctl hotels search --city \t\t')
    await waitUntil(() => /205.*Isparta/.test(run.screen()), 'the cities')
    run.kill()
    await run.exit
    expect(readdirSync(home.directory).filter(name => /^p\d$/.test(name))).toEqual([])
  })

  test.skipIf(!has(shell))('reading the script starts no program', () => {
    const path = execFileSync('sh', ['-c', `command -v ${shell}`], {encoding: 'utf8'}).trim()
    const quiet = {bash: ['--norc', '--noprofile'], zsh: ['-f'], fish: ['--no-config']}[shell]
    const read = shell === 'zsh' ? 'compdef() { :; }; ' : ''
    const done = spawnSync(path, [...quiet, '-c', `${read}. '${scriptPath(shell)}'`], {
      env: {HOME: home.directory, PATH: '/nonexistent', LC_ALL: 'C.UTF-8'},
      encoding: 'utf8',
    })
    expect(done).toMatchObject({status: 0, stdout: '', stderr: ''})
  })
})

test('powershell: every quote is closed, every bracket has its end, and nothing is run by its text', () => {
  const script = readFileSync(scriptPath('powershell'), 'utf8')
  // Removes the script's strings and comments.
  const bare = script.replace(/'(?:[^']|'')*'|"[^"]*"|#.*$/gm, '')
  expect(bare).not.toMatch(/['"`]/)
  for (const [open, close] of ['()', '{}', '[]'].map(pair => pair.split('')))
    expect(bare.split(open ?? '').length).toBe(bare.split(close ?? '').length)
  expect(script).not.toMatch(/Invoke-Expression|\biex\b/i)
})

/** Words that only the state of this machine provides. */
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
    const empty = ownHome()
    for (const argv of [[], ['nonsense'], ...ASKED.map(words => ['fish', ...words]), ['bash', 'bookctl "']])
      expect(await empty.run(['__complete', ...argv])).toMatchObject({exit: 0, stderr: ''})
    // Newer versions of Node cache compiled code there.
    expect(readdirSync(empty.directory).filter(name => name !== '.cache')).toEqual([])
  })

  test('broken files have no candidates', async () => {
    const broken = ownHome()
    mkdirSync(broken.configDirectory)
    for (const file of ['config.json', 'state.db', 'tokens.db', 'events.db'])
      writeFileSync(join(broken.configDirectory, file), 'nonsense')
    for (const words of ASKED)
      expect(await broken.run(['__complete', 'fish', ...words])).toEqual({exit: 0, stdout: '', stderr: ''})
  })

  test('scripts of older versions get the values of the kind they ask for', async () => {
    expect((await home.run(['__complete', 'cities', 'rom'])).stdout).toBe('301\tRome, IT\n')
    for (const argv of [['profiles'], ['profiles', '']])
      expect((await home.run(['__complete', ...argv])).stdout).toMatch(/^(?:(?:work|home)\thttps:.*\n){2}$/)
  })

  test('values that would not be one line are left out', async () => {
    const {stdout} = await home.run(['__complete', 'fish', 'webhooks', 'test', ':'])
    const values = [...stdout.matchAll(/^[^\t\n]+/gm)].map(([value]) => value)
    expect(values.sort()).toEqual([HOSTILE, 'whsub_plain', 'whsub_with space'].sort())
  })

  test('__complete is not among the commands', async () => {
    for (const argv of [['--help'], ['autocomplete', 'bash']])
      expect((await home.run(argv)).stdout).not.toMatch(/^ {2}__complete/m)
  })
})

test.each([
  ['/usr/bin/zsh', 'zsh'],
  ['/opt/pwsh', 'powershell'],
  ['/bin/dash', undefined],
])('how to put it in place is said for the shell in use, else for all: %s', async (SHELL, known) => {
  const {stdout} = await home.run(['autocomplete'], {env: {SHELL}})
  for (const shell of ['bash', 'zsh', 'fish', 'powershell'])
    expect(stdout.includes(`bookctl autocomplete ${shell}`)).toBe(known === undefined || known === shell)
})
