/** `sandbox run`: a partner's CI job runs its tests with a sandbox of its own. */
import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {expect, test} from 'vitest'
import {isRunning} from '../../src/storage/temporary.js'
import type {Home} from '../support/bookctl.js'
import {ownHome} from '../support/own.js'
import {atTerminal} from '../support/terminal.js'
import {waitUntil} from '../support/wait.js'

/** A partner's program: gets a token with PARTNER_… and prints the status and the variables. */
const PARTNER = `
const {PARTNER_BASE_URL: base, PARTNER_CLIENT_ID: client_id, PARTNER_CLIENT_SECRET: client_secret} = process.env
const body = JSON.stringify({grant_type: 'client_credentials', client_id, client_secret, scope: 'account:read'})
fetch(base + '/oauth/token', {method: 'POST', headers: {'content-type': 'application/json'}, body})
  .then(({status}) => console.log(status, process.env.BOOKCTL_BASE_URL === base, process.argv.slice(2).join(' ')))
  .then(() => process.exit(5))`

/** Waits until told to end, with a process of its own that does the same. Writes the ids of both to a file. */
const WAITING = `
const {spawn} = require('node:child_process')
const {renameSync, writeFileSync} = require('node:fs')
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
for (const name of ['SIGUSR2', 'SIGHUP']) process.on(name, () => writeFileSync(name, ''))
process.on('SIGTERM', () => { child.kill('SIGKILL'); process.exit(9) })
writeFileSync('pids.new', JSON.stringify([process.pid, child.pid, process.env.BOOKCTL_BASE_URL]))
renameSync('pids.new', 'pids')
setInterval(() => {}, 1000)`

function homeWith(program: string): Home {
  const home = ownHome()
  writeFileSync(join(home.directory, 'program.cjs'), program)
  return home
}

/** Starts the waiting program, and returns the run, the ids of its processes, and the sandbox's address. */
async function startWaiting(home: Home) {
  let run = 0
  const ended = home.spawn(['sandbox', 'run', '--', process.execPath, 'program.cjs'], {
    onStart: child => {
      run = child.pid ?? 0
    },
  })
  const file = join(home.directory, 'pids')
  await waitUntil(() => existsSync(file), 'the program')
  const [program, child, baseUrl] = JSON.parse(readFileSync(file, 'utf8')) as [number, number, string]
  return {run, program, child, baseUrl, ended}
}

const isServed = (baseUrl: string) =>
  fetch(baseUrl).then(
    () => true,
    () => false,
  )

test('exports the sandbox under both names, and ends with the exit code of the command', async () => {
  const home = homeWith(PARTNER)
  const argv = ['sandbox', 'run', '--env-prefix', 'PARTNER', '--', process.execPath, 'program.cjs', '--json']
  expect(await home.spawn(argv)).toEqual({exit: 5, stdout: '200 true --json\n', stderr: ''})
  const words = ['a', 'b', 'a', '--json', '--', '-q', 'a']
  const again = await home.spawn(['sandbox', 'run', '--json', ...argv.slice(2, 7), ...words])
  expect(again.stdout).toBe(`200 true ${words.join(' ')}\n`)
  expect(home.strays()).toEqual([])
  expect((await home.refusal(['sandbox', 'clock'])).code).toBe('sandbox_not_running')
})

test('keeps the data in the file of --db', async () => {
  const home = ownHome()
  const run = (...command: string[]) =>
    home.spawn(['sandbox', 'run', '--db', 'kept.db', '--', process.execPath, ...command])
  writeFileSync(
    join(home.directory, 'clock.cjs'),
    `const url = new URL('/_sandbox/clock', process.env.BOOKCTL_BASE_URL)
const init = process.argv[2] ? {method: 'POST', headers: {'content-type': 'application/json'}, body: '{"advance_seconds":864000}'} : {}
fetch(url, init).then(answer => answer.json()).then(({now}) => console.log(Date.parse(now) > Date.now() + 8e8))`,
  )
  expect((await run('clock.cjs', 'move')).stdout).toBe('true\n')
  expect((await run('clock.cjs')).stdout).toBe('true\n')
})

test('passes signals on, and ends as the command ends', async () => {
  const home = homeWith(WAITING)
  const {run, ended} = await startWaiting(home)
  for (const signal of ['SIGUSR2', 'SIGHUP'] as const) {
    process.kill(run, signal)
    await waitUntil(() => existsSync(join(home.directory, signal)), signal)
  }
  process.kill(run, 'SIGTERM')
  expect(await ended).toMatchObject({exit: 9, stderr: ''})
})

test('a command that is killed ends with 137, and takes its own processes along', async () => {
  const {program, child, baseUrl, ended} = await startWaiting(homeWith(WAITING))
  process.kill(program, 'SIGKILL')
  expect(await ended).toMatchObject({exit: 137})
  await waitUntil(() => !isRunning(child), 'the end of its process')
  expect(await isServed(baseUrl)).toBe(false)
})

test('nothing is left behind when it is killed itself', async () => {
  const {run, program, child, baseUrl, ended} = await startWaiting(homeWith(WAITING))
  process.kill(run, 'SIGKILL')
  expect(await ended).toMatchObject({exit: 'SIGKILL'})
  await waitUntil(() => !isRunning(program) && !isRunning(child), 'the end of both processes')
  expect(await isServed(baseUrl)).toBe(false)
})

test('the command has the terminal, and Ctrl-C reaches it once', async () => {
  const home = homeWith(`
let count = 0
process.on('SIGINT', () => { count++; setTimeout(() => { console.log('interrupted', count); process.exit(6) }, 300) })
console.log('terminal', process.stdin.isTTY, process.stdout.isTTY)
setInterval(() => {}, 1000)`)
  const screen = atTerminal(home, ['sandbox', 'run', '--', process.execPath, 'program.cjs'])
  await screen.waitFor(/terminal true true/)
  screen.press('ctrl-c')
  expect(await screen.exit).toBe(6)
  expect(screen.screen()).toMatch(/interrupted 1$/m)
})

test('says what is wrong with the command line', async () => {
  const home = ownHome()
  writeFileSync(join(home.directory, 'text'), '')
  for (const [command, problem] of [
    ['no-such-command', 'command not found'],
    ['./text', 'it is not an executable file'],
  ] as const) {
    const {exit, stdout} = await home.spawn(['sandbox', 'run', '--json', '--', command])
    expect(exit).toBe(2)
    const message = `cannot run "${command}": ${problem}`
    expect(JSON.parse(stdout)).toMatchObject({error: {code: 'command_not_started', message}})
  }
  expect((await home.refusal(['sandbox', 'run'])).code).toBe('missing_argument')
  expect((await home.refusal(['sandbox', 'run', 'true', '--env-prefix', '1-x'])).code).toBe('invalid_input')
})
