/** A full disk: a call is still made, what is reported as erased is erased, and settings are whole. */
import {execFileSync, spawnSync} from 'node:child_process'
import {mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, afterEach, beforeAll, beforeEach, expect, test} from 'vitest'
import {createSettings} from '../../src/state/settings.js'
import {openState} from '../../src/state/state.js'
import {connect} from '../support/booking.js'
import {CLIENT, intent} from '../support/client.js'
import {filesWith, ownDirectory} from '../support/own.js'
import {ScriptedService} from '../support/scripted-service.js'

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
  directory = ownDirectory()
  disk = join(directory, 'disk')
  mkdirSync(disk)
  const options = `size=${DISK_KILOBYTES}k,mode=700`
  mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]).status === 0
})
afterEach(() => {
  if (mounted) execFileSync('umount', ['--lazy', disk])
})

/** What is left runs out at another step of opening each time. */
const LEFT = [0, 4, 8, 16, 32, 48]

/** Fills the disk but for `kilobytes`. */
function leave(kilobytes: number): void {
  const {bavail, bsize} = statfsSync(disk)
  writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - kilobytes * 1024))
}

test.for(LEFT)(
  'with %i kB left a request is erased to the last byte, or the error says what is left',
  async (left, {skip}) => {
    if (!mounted) skip('needs the right to mount')
    execFileSync('mount', ['-o', `remount,size=${8 * DISK_KILOBYTES}k`, disk])
    const home = join(disk, 'home')
    const state = openState(home)
    const journal = state.journal.forClient(CLIENT)
    const {entry} = await journal.begin(intent(1, {body: `U1234567 ${'x'.repeat(9000)}`}), 1)
    await journal.attempt(entry.id, 2)
    leave(left)
    const failure = await Promise.resolve()
      .then(() => journal.forget(entry.id, 3))
      .catch(error => error)
    if (failure === undefined) expect(filesWith(home, 'U1234567')).toEqual([])
    else {
      expect(failure).toMatchObject({fault: 'full', message: expect.stringContaining(join(home, 'state.db'))})
      rmSync(join(disk, 'ballast'))
      if ((await journal.find('ref-1'))?.outcome === 'forgotten')
        expect(failure.hint).toContain('a later command erases them')
      else await journal.forget(entry.id, 4)
    }
    state.close()
    const next = openState(home)
    expect(await next.journal.list()).toMatchObject([{outcome: 'forgotten', body: null}])
    // A write, because opening to read changes nothing.
    next.cities.remember(CLIENT, [])
    next.close()
    expect(filesWith(home, 'U1234567')).toEqual([])
  },
)

test.for(LEFT)('with %i kB left a call with credentials of the environment is made', async (left, {skip}) => {
  if (!mounted) skip('needs the right to mount')
  leave(left)
  const parts = connect({directory: join(disk, 'home'), baseUrl: service.baseUrl})
  expect((await parts.api.call('account.show')).status).toBe(200)
  await parts.close()
})

test.for([4, 8, 12, 16, 20, 24, 28, 36])(
  'with %i kB left a change of the settings is made whole, or the error names the disk and the file is as it was',
  async (left, {skip}) => {
    if (!mounted) skip('needs the right to mount')
    const home = join(disk, 'home')
    mkdirSync(home, {mode: 0o700})
    const path = join(home, 'config.json')
    const profile = {base_url: 'https://example.com/v1', client_id: 'x'.repeat(15_000)}
    writeFileSync(path, JSON.stringify({profiles: {one: profile}}), {mode: 0o600})
    const before = readFileSync(path, 'utf8')
    leave(left)
    const change = createSettings(home).update(file => file.set(['current_profile'], 'one'))
    const failure = await change.then(
      () => undefined,
      error => error,
    )
    const after = readFileSync(path, 'utf8')
    if (failure === undefined)
      expect(JSON.parse(after)).toEqual({profiles: {one: profile}, current_profile: 'one'})
    else {
      expect(failure).toMatchObject({fault: 'full', message: expect.stringContaining(path)})
      expect(after).toBe(before)
    }
  },
)
