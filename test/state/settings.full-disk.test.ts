/** On a full disk commands still send requests, and settings stay complete. More checks: test/proof/files. */
import {execFileSync, spawnSync} from 'node:child_process'
import {mkdirSync, readFileSync, statfsSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, afterEach, beforeAll, beforeEach, expect, test} from 'vitest'
import {createSettings} from '../../src/state/settings.js'
import {connect} from '../support/booking.js'
import {ownDirectory} from '../support/own.js'
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

/** Fills the disk except for `kilobytes`. */
function leave(kilobytes: number): void {
  const {bavail, bsize} = statfsSync(disk)
  writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - kilobytes * 1024))
}

// With each size, the space runs out at another step of opening.
test.for([0, 4, 8, 16, 32, 48])(
  'with %i kB left a call with credentials of the environment is made',
  async (left, {skip}) => {
    if (!mounted) skip('needs the right to mount')
    leave(left)
    const parts = connect({directory: join(disk, 'home'), baseUrl: service.baseUrl})
    expect((await parts.api.call('account.show')).status).toBe(200)
    await parts.close()
  },
)

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
