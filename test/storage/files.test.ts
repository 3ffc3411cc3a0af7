/** Writing whole files: the content is the old or the new one, never a mixture, and nothing is left behind. */
import {execFileSync, spawnSync} from 'node:child_process'
import fs from 'node:fs'
import {syncBuiltinESMExports} from 'node:module'
import {basename, join} from 'node:path'
import {isMainThread} from 'node:worker_threads'
import {beforeEach, expect, test} from 'vitest'
import {StorageError} from '../../src/storage/errors.js'
import {isWritableDirectory, writeWholeFile} from '../../src/storage/files.js'
import {sweepTemporaryFiles, temporaryPath} from '../../src/storage/temporary.js'
import {isRoot, OTHER_USER} from '../support/other-user.js'
import {ownDirectory} from '../support/own.js'

let directory: string

beforeEach(() => {
  directory = ownDirectory()
})

test('replaces the content, privately, and leaves no temporary file', async () => {
  const before = process.umask(0)
  const path = join(directory, 'a.json')
  await writeWholeFile(path, [Buffer.from('one')], {existing: 'replace'})
  await writeWholeFile(path, [Buffer.from('two')], {existing: 'replace'})
  process.umask(before)
  expect(fs.readFileSync(path, 'utf8')).toBe('two')
  expect(fs.statSync(path).mode & 0o777).toBe(0o600)
  expect(fs.readdirSync(directory)).toEqual(['a.json'])
})

test('writes pieces only when all of them have come', async () => {
  const path = join(directory, 'a.ndjson')
  async function* pieces(last: () => Buffer) {
    yield Buffer.from('one\n')
    expect(fs.readdirSync(directory)).not.toContain('a.ndjson')
    yield last()
  }
  const fail = () => {
    throw new StorageError('corrupt', 'no more can be read', 'look')
  }
  const failing = writeWholeFile(path, pieces(fail), {existing: 'create'})
  await expect(failing).rejects.toThrow('no more can be read')
  expect(fs.readdirSync(directory)).toEqual([])
  await writeWholeFile(
    path,
    pieces(() => Buffer.from('two\n')),
    {existing: 'create'},
  )
  expect(fs.readFileSync(path, 'utf8')).toBe('one\ntwo\n')
  expect(fs.readdirSync(directory)).toEqual(['a.ndjson'])
})

test('replaces a symbolic link itself, not what it points to', async () => {
  const victim = join(directory, 'victim')
  const path = join(directory, 'a.json')
  fs.writeFileSync(victim, 'mine')
  fs.symlinkSync(victim, path)
  await writeWholeFile(path, [Buffer.from('new')], {existing: 'replace'})
  expect([fs.readFileSync(victim, 'utf8'), fs.readFileSync(path, 'utf8')]).toEqual(['mine', 'new'])
})

test('creates, or refuses and leaves what is there', async () => {
  const path = join(directory, 'a.pdf')
  await writeWholeFile(path, [Buffer.from('one')], {existing: 'create'})
  const again = () => writeWholeFile(path, [Buffer.from('two')], {existing: 'create'})
  await expect(again()).rejects.toThrow('exists already')
  expect(fs.readFileSync(path, 'utf8')).toBe('one')
  expect(fs.readdirSync(directory)).toEqual(['a.pdf'])
})

test('reports a missing directory', async () => {
  const write = () => writeWholeFile(join(directory, 'no', 'a'), [Buffer.from('x')], {existing: 'replace'})
  await expect(write()).rejects.toThrow(StorageError)
  fs.writeFileSync(join(directory, 'file'), '')
  expect(isWritableDirectory(join(directory, 'file', 'x'))).toBe(false)
  expect(isWritableDirectory(join(directory, 'new'))).toBe(true)
})

const ID = '00000000-0000-4000-8000-000000000000'

test('removes files of killed writers, those of other hosts after a day, and none of its own', async () => {
  const [old, young] = [1, 2].map(pid => `.bookctl-${pid}-1-${ID}-1-another.host.tmp`) as [string, string]
  const ofADemo = `.bookctl-0-1-${ID}.tmp`
  const left = [`.bookctl-4194305-1-${ID}.tmp`, join(ofADemo, 'tokens.db')]
  const ofThisProcess = basename(temporaryPath(directory))
  const ofTheLiving = `.bookctl-${process.ppid}--${ID}.tmp`
  const kept = [
    young,
    ofThisProcess,
    ofTheLiving,
    `.other-4194305-1-${ID}.tmp`,
    '.bookctl-4194305.tmp',
    'config.json',
  ]
  fs.mkdirSync(join(directory, ofADemo))
  for (const name of [old, ...left, ...kept]) fs.writeFileSync(join(directory, name), '')
  const yesterday = Date.now() / 1000 - 86_400
  fs.utimesSync(join(directory, old), yesterday - 60, yesterday - 60)
  fs.utimesSync(join(directory, young), yesterday + 600, yesterday + 600)
  await writeWholeFile(join(directory, 'new.txt'), [Buffer.from('x')], {existing: 'create'})
  expect(fs.readdirSync(directory).sort()).toEqual([...kept, 'new.txt'].sort())
})

test.runIf(isRoot)('leaves the files of another user', () => {
  const left = `.bookctl-4194305-1-${ID}.tmp`
  fs.mkdirSync(join(directory, left))
  fs.writeFileSync(join(directory, left, 'a'), '')
  for (const name of [left, join(left, 'a')]) fs.chownSync(join(directory, name), OTHER_USER, OTHER_USER)
  sweepTemporaryFiles(directory)
  expect(fs.readdirSync(join(directory, left))).toEqual(['a'])
  fs.chownSync(join(directory, left), 0, 0)
  sweepTemporaryFiles(directory)
  expect(fs.readdirSync(directory)).toEqual([])
})

/** Runs `work` with a linkSync that fails as on a disk without hard links. */
async function withoutLinks(work: () => Promise<void>): Promise<void> {
  const {linkSync} = fs
  fs.linkSync = () => {
    throw Object.assign(new Error('EPERM'), {code: 'EPERM'})
  }
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    fs.linkSync = linkSync
    syncBuiltinESMExports()
  }
}

test('works on a disk without hard links', async () => {
  const path = join(directory, 'a.txt')
  const create = (text: string) => writeWholeFile(path, [Buffer.from(text)], {existing: 'create'})
  await withoutLinks(async () => {
    await create('new')
    expect([fs.readFileSync(path, 'utf8'), fs.statSync(path).mode & 0o777]).toEqual(['new', 0o600])
    await expect(create('other')).rejects.toThrow('exists already')
  })
  expect(fs.readFileSync(path, 'utf8')).toBe('new')
  expect(fs.readdirSync(directory)).toEqual(['a.txt'])
})

test.runIf(isRoot && isMainThread)('writes into a directory that cannot be read', async () => {
  fs.chmodSync(directory, 0o300)
  fs.chownSync(directory, OTHER_USER, OTHER_USER)
  process.seteuid?.(OTHER_USER)
  try {
    await writeWholeFile(join(directory, 'a.txt'), [Buffer.from('new')], {existing: 'create'})
    const again = () => writeWholeFile(join(directory, 'a.txt'), [Buffer.from('other')], {existing: 'create'})
    await expect(again()).rejects.toThrow('exists already')
  } finally {
    process.seteuid?.(0)
  }
  expect(fs.readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('new')
})

test('keeps the old content on a full disk, at every size of free space', async context => {
  const mount = join(directory, 'tiny')
  fs.mkdirSync(mount)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', mount])
  if (mounted.status !== 0) context.skip('needs the right to mount')
  try {
    const path = join(mount, 'a.json')
    fs.writeFileSync(path, 'old')
    let refused = 0
    for (let kilobytes = 0; kilobytes <= 240; kilobytes += 8) {
      fs.writeFileSync(join(mount, 'ballast'), Buffer.alloc(kilobytes * 1024))
      const before = fs.readFileSync(path)
      const bytes = Buffer.alloc(100_000, kilobytes)
      try {
        await writeWholeFile(path, [bytes], {existing: 'replace'})
        expect(fs.readFileSync(path).equals(bytes)).toBe(true)
      } catch (error) {
        expect(error).toMatchObject({fault: 'full', message: expect.stringContaining(path)})
        expect(fs.readFileSync(path).equals(before)).toBe(true)
        refused++
      }
      expect(fs.readdirSync(mount).sort()).toEqual(['a.json', 'ballast'])
      await writeWholeFile(path, [Buffer.from('old')], {existing: 'replace'})
    }
    expect(refused).toBeGreaterThan(0)
  } finally {
    execFileSync('umount', ['--lazy', mount])
  }
})

test('replaces only regular files', async () => {
  const pipe = join(directory, 'pipe')
  execFileSync('mkfifo', [pipe])
  const write = () => writeWholeFile(pipe, [Buffer.from('new')], {existing: 'replace'})
  await expect(write()).rejects.toThrow('is not a regular file')
  expect(fs.readdirSync(directory)).toEqual(['pipe'])
})

test('gives a file the permissions of another, and as root its owner', async () => {
  const path = join(directory, 'a.json')
  fs.writeFileSync(path, 'one')
  fs.chmodSync(path, 0o640)
  if (isRoot) fs.chownSync(path, OTHER_USER, OTHER_USER)
  const like = fs.statSync(path)
  await writeWholeFile(path, [Buffer.from('two')], {existing: 'replace', like})
  const {mode, uid} = fs.statSync(path)
  expect([fs.readFileSync(path, 'utf8'), mode & 0o777, uid]).toEqual(['two', 0o640, like.uid])
})
