/** Stopping the demo, with a script in place of bookctl. */
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {Demo} from '../../../../src/cli/features/sandbox/demo.js'
import {isRunning} from '../../../../src/storage/temporary.js'
import {ownDirectory, ownHome} from '../../../support/own.js'
import {rejectionOf} from '../../../support/thrown.js'
import {waitUntil} from '../../../support/wait.js'

/** The sandbox runs until it is stopped, `login` prints the directory, and every other command leaves files in it. */
const SCRIPT = `
const command = process.argv[2]
if (command === 'sandbox') {
  console.log(JSON.stringify({base_url: 'http://127.0.0.1:9/v1', client_id: 'c', client_secret: 's'}))
  setInterval(() => {}, 1000)
} else if (command === 'login') console.log(process.cwd())
else mkdirSync(process.env.BOOKCTL_CONFIG_DIR, {recursive: true})
`

test('starts no step while it is being stopped, and leaves no directory', async () => {
  const script = join(ownDirectory(), 'script.mjs')
  writeFileSync(script, SCRIPT)
  const commands: string[] = []
  let stopping: Promise<void> | undefined
  let place = ''
  const demo = new Demo({
    script,
    execArgv: [],
    env: process.env,
    today: '2030-06-01',
    json: true,
    keep: undefined,
    onCommand: command => void commands.push(command.split(' ').slice(0, 2).join(' ')),
    onOutput: ({output}) => {
      place = output.trim()
      stopping = demo.stop()
    },
  })
  const failure = await rejectionOf(demo.run())
  await stopping
  expect(failure.details.code).toBe('interrupted')
  expect(commands).toEqual(['bookctl sandbox', 'bookctl login'])
  expect(place).toContain('bookctl-')
  expect(existsSync(place)).toBe(false)
})

test('killed, it leaves no sandbox running, and the next one removes what it wrote', async () => {
  const home = ownHome()
  const temporary = join(home.directory, 'tmp')
  mkdirSync(temporary)
  const env = {TMPDIR: temporary}
  let pid = 0
  const killed = await home.run(['demo'], {
    env,
    onStart: child =>
      child.stdout?.on('data', text => {
        if (pid !== 0 || !String(text).includes('bookctl account')) return
        const [made = ''] = readdirSync(temporary)
        pid = JSON.parse(readFileSync(join(temporary, made, 'config', 'sandbox-running.json'), 'utf8')).pid
        child.kill('SIGKILL')
      }),
  })
  expect(killed.exit).toBe('SIGKILL')
  await waitUntil(() => !isRunning(pid), 'the sandbox to end')
  const {exit, stdout} = await home.run(['demo', '--keep', 'kept'], {env})
  expect(exit).toBe(0)
  expect(readdirSync(temporary)).toEqual([])
  expect(stdout.match(/^# .*\.\n\$ bookctl /gm)?.length).toBe(stdout.match(/^\$ bookctl /gm)?.length)
  // With quotes, the backslash would be alone on the next line at 80 columns.
  expect(stdout).toContain(' --guest name=Ayşe,surname=Öğüt,')
  expect(stdout).toMatch(
    /The event that was received, .*\n( {2}.*\n)* {2}event_type: +reservation\.confirmed\n/,
  )
  const kept = readdirSync(join(home.directory, 'kept')).map(name => join(home.directory, 'kept', name))
  expect(stdout.split('Only the vouchers are left:\n')[1]?.trimEnd().split('\n').sort()).toEqual(kept.sort())
  expect(kept.map(file => readFileSync(file, 'latin1').slice(0, 5))).toEqual(['%PDF-', '%PDF-'])
})

test('the demo is refused before it starts if the vouchers cannot be stored', async () => {
  const home = ownHome()
  writeFileSync(join(home.directory, 'file'), '')
  for (const [name, code] of [
    ['file', 'cannot_write'],
    ['no/such', 'cannot_write'],
    ['', 'invalid_input'],
  ] as const)
    expect(await home.refusal(['demo', '--keep', name])).toMatchObject({exit: 2, code})
})

test('a sandbox with --until-stdin-ends ends with its standard input, and leaves no note', async () => {
  const home = ownHome()
  const finished = await home.run(['sandbox', 'start', '--until-stdin-ends', '--json'], {stdin: ''})
  expect([finished.exit, JSON.parse(finished.stdout).type]).toEqual([0, 'ready'])
  expect(home.kept()).not.toContain('sandbox-running.json')
})
