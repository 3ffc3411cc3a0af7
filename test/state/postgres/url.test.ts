import {chmodSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {concealPassword, hasPassword, parseStoreUrl, shownAddress} from '../../../src/state/postgres/url.js'
import {thrownBy} from '../../support/thrown.js'

const NO_FILE = {PGPASSFILE: '/nowhere'}

const read = (text: string, env: NodeJS.ProcessEnv = NO_FILE) => parseStoreUrl(text, env)

test('an address names a host, or the directory of a socket, and port, user and database', () => {
  expect(read('postgres://ann:p%40ss@db.example.com:6432/booking')).toEqual({
    host: 'db.example.com',
    port: 6432,
    user: 'ann',
    password: 'p@ss',
    database: 'booking',
    isEncrypted: true,
  })
  expect(read('postgresql://ann@[::1]/booking')).toMatchObject({host: '::1', port: 5432, isEncrypted: false})
  const socket = {host: '/var/run', isEncrypted: false}
  expect(read('postgres://ann@:5433/booking?host=/var/run')).toMatchObject({...socket, port: 5433})
  expect(read('postgres://ann@%2Fvar%2Frun/booking')).toMatchObject(socket)
})

test.each([
  ['postgres://ann@db.example.com/b', true],
  ['postgres://ann@db.example.com/b?sslmode=verify-full', true],
  ['postgres://ann@127.0.0.1/b', false],
  ['postgres://ann@localhost/b?sslmode=disable', false],
  ['postgres://ann@localhost/b?sslmode=verify-full', true],
])('%s: encrypted is %s', (text, isEncrypted) => {
  expect(read(text).isEncrypted).toBe(isEncrypted)
})

test.each([
  ['nonsense', 'must look like'],
  ['mysql://ann@h/b', 'must look like'],
  ['', 'must look like'],
  ['postgres://h/b', 'a user'],
  ['postgres://ann@h', 'a database'],
  ['postgres://ann@h/a/b', 'must look like'],
  ['postgres://ann@/b', 'one host'],
  ['postgres://ann@h1,h2/b', 'one host'],
  ['postgres://ann@h/b?sslmode=require', 'too weak'],
  ['postgres://ann@h/b?sslmode=disable', 'too weak'],
  ['postgres://ann@127.0.0.1/b?sslmode=prefer', 'not known here'],
  ['postgres://ann@/b?host=/tmp&sslmode=verify-full', 'no TLS'],
  ['postgres://ann@h/b?host=other', 'directory of a socket'],
  ['postgres://ann@h/b?host=/tmp', 'directory of a socket'],
  ['postgres://ann@h/b?options=-cx', 'parameter options'],
  ['postgres://ann@h/b?password=secret-word', 'parameter password'],
  ['postgres://an%n@h/b', '%'],
])('%s is refused: %s', (text, why) => {
  expect(() => read(text)).toThrow(why)
})

test('what is refused is never quoted with its password', () => {
  for (const between of ['a@', '5/', '5?', '5#', '@']) {
    const text = `postgres://ann:${between}secret-word@h/b`
    expect(() => read(text)).toThrow('must look like')
    expect(concealPassword(text)).not.toContain('secret-word')
  }
  const own = 'postgres://ann:secret-word@'
  for (const text of [`${own}h/b?sslmode=no`, `${own}/b`, 'x:secret-word'])
    expect(thrownBy(() => read(text)).message).not.toContain('secret-word')
})

test('the password comes from the address, PGPASSWORD or the password file, in this order', () => {
  const directory = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
  onTestFinished(() => rmSync(directory, {recursive: true}))
  const file = join(directory, 'pgpass')
  const lines = ['# a remark', 'other:*:*:*:no', '*:5432:boo\\:king:ann:from\\\\file', '*:*:*:*:last']
  writeFileSync(file, lines.join('\n'), {mode: 0o600})
  const env = {PGPASSFILE: file}
  expect(read('postgres://ann:url@h/boo:king', {...env, PGPASSWORD: 'env'}).password).toBe('url')
  expect(read('postgres://ann@h/boo:king', {...env, PGPASSWORD: 'env'}).password).toBe('env')
  expect(read('postgres://ann@h/boo:king', env).password).toBe('from\\file')
  expect(read('postgres://ann@h:1/x', env).password).toBe('last')
  chmodSync(file, 0o644)
  expect(read('postgres://ann@h:1/x', env).password).toBeUndefined()
})

test('an address is shown without its password', () => {
  expect(shownAddress(read('postgres://ann:secret-word@h/b'))).toBe('postgres://ann@h:5432/b')
  expect(shownAddress(read('postgres://ann@h/a%2Fb'))).toBe('postgres://ann@h:5432/a%2Fb')
  expect(hasPassword('postgres://ann:x@h/b')).toBe(true)
  expect(hasPassword('postgres://ann@h/b')).toBe(false)
})
