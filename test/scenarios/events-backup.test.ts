/** Backing up the events while they are received, and restoring them. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {eventually} from '../support/eventually.js'
import {ownHome, ownListening, ownReceiverHome, ownTarget} from '../support/own.js'
import {load, SECRET, sendEvent, signedEvent} from '../support/webhook-load.js'

const BACKUP = ['webhooks', 'events', 'backup']

test('a backup that is made under load is whole, has every event before it, and restores what is to be forwarded', async () => {
  const home = ownReceiverHome()
  const target = await ownTarget(500)
  const receiver = await ownListening(home, ['--forward-to', target.url])
  for (const id of ['evt_a', 'evt_b']) expect(await sendEvent(receiver.port, `{"id":"${id}"}`, id)).toBe(200)
  let isDone = false
  let sent = 0
  const connections = 8
  const loading = load({
    port: receiver.port,
    connections,
    next: () => (isDone ? undefined : signedEvent(`evt_${sent++}`)),
  })
  // On each connection, the event that was sent last may not be answered yet.
  await eventually(() => expect(sent - connections).toBeGreaterThan(50))
  const file = join(home.directory, 'events backup.db')
  const {exit, result} = await home.json<{events: number}>([...BACKUP, file])
  isDone = true
  const {answers} = await loading
  expect(new Set(answers.map(({status}) => status))).toEqual(new Set([200]))
  expect({exit, ...result}).toMatchObject({exit: 0, file, bytes: statSync(file).size, integrity: 'ok'})
  expect(result.events).toBeGreaterThan(50)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(home.directory).filter(name => name.startsWith('.bookctl-'))).toEqual([])
  await receiver.stop('SIGKILL')

  const other = ownHome({BOOKCTL_WEBHOOK_SECRET: SECRET})
  const directory = join(other.directory, 'restored')
  mkdirSync(directory, {mode: 0o700})
  copyFileSync(file, join(directory, 'events.db'))
  const env = {BOOKCTL_CONFIG_DIR: directory}
  const listed = await other.json<{events: {event_id: string}[]}>(
    ['webhooks', 'events', 'list', '--limit', '100000'],
    {env},
  )
  const ids = listed.result.events.map(({event_id}) => event_id)
  expect(ids.length).toBe(result.events)
  expect(ids.slice(-2)).toEqual(['evt_b', 'evt_a'])
  const before = target.got.filter(id => id === 'evt_a').length
  await ownListening(other, ['--forward-to', target.url], {env})
  await eventually(() => expect(target.got.filter(id => id === 'evt_a').length).toBeGreaterThan(before))
})

test('no file is replaced without --force, and with it only an earlier backup', async () => {
  const home = ownReceiverHome()
  const none = await home.refusal([...BACKUP, 'backup.db'])
  expect(none).toMatchObject({exit: 2, code: 'no_events'})
  expect(existsSync(join(home.directory, 'backup.db'))).toBe(false)
  const receiver = await ownListening(home)
  expect(await sendEvent(receiver.port, '{"id":"evt_1"}', 'evt_1')).toBe(200)
  writeFileSync(join(home.directory, 'backup.db'), 'mine')
  expect(await home.refusal([...BACKUP, 'backup.db'])).toMatchObject({exit: 2, code: 'file_exists'})
  expect(readFileSync(join(home.directory, 'backup.db'), 'utf8')).toBe('mine')
  const kept = await home.refusal([...BACKUP, 'backup.db', '--force'])
  expect(kept).toMatchObject({exit: 2, code: 'file_exists', message: expect.stringContaining('not a backup')})
  expect(readFileSync(join(home.directory, 'backup.db'), 'utf8')).toBe('mine')
  writeFileSync(join(home.directory, 'backup.db'), '')
  for (const _ of ['an empty file', 'an earlier backup'])
    expect(await home.run([...BACKUP, 'backup.db', '--force'])).toMatchObject({exit: 0})
  const replaced = await home.run([...BACKUP, 'backup.db', '--force'])
  expect(replaced).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^file\tbackup\.db\nevents\t1\nbytes\t\d+\nintegrity\tok\n$/),
  })
  const {result} = await home.json<{file: string}[]>(['config', 'path'])
  const directory = join(String(Object.values(result)[0]), '..')
  for (const name of ['events.db', 'events.db-wal', 'tokens.db', 'state.db', 'config.json']) {
    const refused = await home.refusal([...BACKUP, join(directory, name), '--force'])
    expect({name, ...refused}).toMatchObject({name, exit: 2, code: 'invalid_input'})
  }
  expect(existsSync(join(directory, 'state.db'))).toBe(false)
  const dash = await home.refusal([...BACKUP, '-'])
  expect(dash).toMatchObject({exit: 2, code: 'invalid_input'})
  expect(existsSync(join(home.directory, '-'))).toBe(false)
  expect(await home.refusal([...BACKUP, join('none', 'x.db')])).toMatchObject({exit: 2, code: 'cannot_write'})
  expect(await sendEvent(receiver.port, '{"id":"evt_2"}', 'evt_2')).toBe(200)
})

test('events in a shared store are backed up by PostgreSQL', async () => {
  const env = {BOOKCTL_STORE: 'postgres://127.0.0.1:1/booking'}
  const {exit, code, hint} = await ownHome().refusal([...BACKUP, 'backup.db'], {env})
  expect({exit, code, hint}).toMatchObject({
    exit: 2,
    code: 'events_shared',
    hint: expect.stringContaining('pg_dump'),
  })
})
