/** A disk with no room: a token is used all the same, and nothing is reported as stored that is not. */
import {execFileSync, spawnSync} from 'node:child_process'
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, afterEach, beforeAll, beforeEach, expect, test} from 'vitest'
import {createSettings} from '../../src/state/settings.js'
import {openState} from '../../src/state/state.js'
import {Home} from '../support/bookctl.js'
import {connect} from '../support/booking.js'
import {ScriptedService} from '../support/scripted-service.js'

const CLIENT = {baseUrl: 'https://example.com/v1', clientId: 'cid_1', secretFingerprint: 'f1'}
const TOKEN = {access_token: 't', scopes: ['a'], askedScopes: ['a'], obtainedAt: 1, expiresAt: 7201}
const DISK_KILOBYTES = 64

let service: ScriptedService
let directory: string
let disk: string
let mounted: boolean

beforeAll(async () => {
  service = await ScriptedService.start()
})
afterAll(() => service.close())

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
  disk = join(directory, 'disk')
  mkdirSync(disk)
  const options = `size=${DISK_KILOBYTES}k,mode=700`
  mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]).status === 0
})
afterEach(() => {
  if (mounted) execFileSync('umount', ['--lazy', disk])
  rmSync(directory, {recursive: true, force: true})
})

/** What is left runs out at another step of opening each time. */
const LEFT = [0, 4, 8, 16, 32, 48]

/** Fills the disk but for `kilobytes`. */
function leave(kilobytes: number): void {
  writeFileSync(join(disk, 'ballast'), Buffer.alloc((DISK_KILOBYTES - kilobytes) * 1024))
}

test.for(LEFT)(
  'with %i kB left a token lives in the process, and no secret is stored',
  async (left, {skip}) => {
    if (!mounted) skip('needs the right to mount')
    leave(left)
    const state = openState(join(disk, 'home'))
    expect(state.tokens.list(CLIENT)).toEqual([])
    const nothing = () => undefined
    const done = await state.tokens.alone(CLIENT, 0, async () => 'in', nothing)
    expect(done).toEqual({gaveUp: false, value: 'in'})
    state.tokens.put(CLIENT, TOKEN)
    expect(state.tokens.list(CLIENT)).toEqual([TOKEN])
    const stored = state.secrets.write({profile: 'one', clientId: 'cid_1'}, 'file', 'sk_test_1')
    await expect(stored).rejects.toMatchObject({fault: 'full'})
    state.close()
  },
)

test.for(LEFT)(
  'with %i kB left a request is erased to the last byte, or the error says what is left',
  async (left, {skip}) => {
    if (!mounted) skip('needs the right to mount')
    execFileSync('mount', ['-o', `remount,size=${8 * DISK_KILOBYTES}k`, disk])
    const home = join(disk, 'home')
    const holds = () =>
      readdirSync(home, {withFileTypes: true}).some(
        entry => entry.isFile() && readFileSync(join(home, entry.name)).includes('U1234567'),
      )
    const state = openState(home)
    const journal = state.journal.forClient(CLIENT)
    const names = {
      clientReferenceId: 'r',
      offerId: 'o',
      idempotencyKey: 'k',
      bodySha256: 's',
      intentSha256: 's',
    }
    const intent = {...names, referenceGiven: true, keyGiven: false, body: `U1234567 ${'x'.repeat(9000)}`}
    const {entry} = journal.begin(intent, 1)
    journal.attempt(entry.id, 2)
    const {bavail, bsize} = statfsSync(disk)
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - left * 1024))
    const failure = await Promise.resolve()
      .then(() => journal.forget(entry.id, 3))
      .catch(error => error)
    if (failure === undefined) expect(holds()).toBe(false)
    else {
      expect(failure).toMatchObject({fault: 'full', message: expect.stringContaining(join(home, 'state.db'))})
      rmSync(join(disk, 'ballast'))
      if (journal.find('r')?.outcome === 'forgotten')
        expect(failure.hint).toContain('a later command erases them')
      else journal.forget(entry.id, 4)
    }
    state.close()
    const next = openState(home)
    expect(next.journal.list()).toMatchObject([{outcome: 'forgotten', body: null}])
    // A write, because opening to read changes nothing.
    next.cities.remember(CLIENT, [])
    next.close()
    expect(holds()).toBe(false)
  },
)

test.for(LEFT)('with %i kB left a call with credentials of the environment is made', async (left, {skip}) => {
  if (!mounted) skip('needs the right to mount')
  leave(left)
  const parts = connect({directory: join(disk, 'home'), baseUrl: service.baseUrl})
  expect((await parts.api.call('account.show')).status).toBe(200)
  await parts.close()
})

test.for([0, 4, 8, 12, 16, 20, 24, 28, 32])(
  'with %i kB left config.json is the old one or the new one, and a failure is reported',
  async (left, {skip}) => {
    if (!mounted) skip('needs the right to mount')
    const home = join(disk, 'home')
    const path = join(home, 'config.json')
    const settings = createSettings(home)
    const surname = (letter: string) => letter.repeat(10_000)
    await settings.update(file => file.set(['defaults', 'contact', 'surname'], surname('a')))
    const {bavail, bsize} = statfsSync(disk)
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - left * 1024))
    const before = readFileSync(path, 'utf8')
    const change = settings.update(file => file.set(['defaults', 'contact', 'surname'], surname('b')))
    const failure = await change.catch(error => error)
    if (failure instanceof Error) {
      expect(failure).toMatchObject({fault: 'full', message: expect.stringContaining(home)})
      expect(readFileSync(path, 'utf8')).toBe(before)
    } else expect(settings.read().defaults?.contact?.surname).toBe(surname('b'))
    expect(readdirSync(home).sort()).toEqual(['config.json', 'locks'])
  },
)

test('reports a limit on file sizes, and keeps config.json', async () => {
  const home = new Home()
  const path = join(home.configDirectory, 'config.json')
  const before = JSON.stringify({defaults: {contact: {surname: 'a'.repeat(10_000)}}})
  mkdirSync(home.configDirectory)
  writeFileSync(path, before)
  const limited = {before: ['bash', '-c', 'ulimit -f 8; exec "$@"', 'bash']}
  const {exit, stderr} = await home.run(['config', 'set', 'currency', 'EUR'], limited)
  expect({exit, stderr}).toEqual({exit: 2, stderr: expect.stringContaining('no space left')})
  expect(readFileSync(path, 'utf8')).toBe(before)
  expect(home.strays()).toEqual([])
  home.remove()
})
