/** The history of requests is bounded, has complete lines even if many processes write at once, and never stops a command. */
import {readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import {keepExchanges, lastExchanges} from '../../src/state/exchanges.js'
import {closing, ownDirectory, ownHome} from '../support/own.js'
import {ScriptedService} from '../support/scripted-service.js'

let directory: string
beforeEach(() => {
  directory = ownDirectory()
})

test('returns the last ones in order, and keeps the files small', () => {
  for (let n = 0; n < 1000; n += 10) {
    const ten = Array.from({length: 10}, (_, m) => ({n: n + m, pad: 'x'.repeat(200)}))
    keepExchanges(directory, ten)
  }
  expect(lastExchanges(directory, 50).map(({n}) => n)).toEqual(Array.from({length: 50}, (_, n) => 950 + n))
  const sizes = readdirSync(directory)
    .filter(name => name.endsWith('.jsonl'))
    .map(name => statSync(join(directory, name)).size)
  expect(sizes.length).toBe(2)
  for (const size of sizes) expect(size).toBeLessThan(70 * 1024)
})

test('skips truncated and too long lines, and a missing directory', () => {
  writeFileSync(join(directory, 'exchanges.jsonl'), '{"n":1}\n{"n":2')
  keepExchanges(directory, [{n: 3}, {n: 4, pad: 'x'.repeat(10_000)}])
  expect(lastExchanges(directory, 50).map(({n}) => n)).toEqual([1, 3])
  const missing = join(directory, 'missing')
  keepExchanges(missing, [{n: 1}])
  expect(statSync(missing, {throwIfNoEntry: false})).toBeUndefined()
  expect(lastExchanges(missing, 50)).toEqual([])
})

test.runIf(process.platform !== 'win32')('a link in place of the file is not followed', () => {
  const elsewhere = join(directory, 'elsewhere')
  writeFileSync(elsewhere, '{"n":1}\n')
  symlinkSync(elsewhere, join(directory, 'exchanges.jsonl'))
  const warning = 'exchanges.jsonl is a symbolic link, which is not followed: requests are not recorded'
  expect(keepExchanges(directory, [{n: 2}])).toBe(join(directory, warning))
  expect(readFileSync(elsewhere, 'utf8')).toBe('{"n":1}\n')
  expect(lastExchanges(directory, 50)).toEqual([])
})

test('commands at the same time lose no line; BOOKCTL_NO_HISTORY keeps none', async () => {
  const service = closing(await ScriptedService.start())
  const home = ownHome(service.env)
  await home.run(['account'], {env: {BOOKCTL_NO_HISTORY: '1'}})
  expect(lastExchanges(home.configDirectory, 50)).toEqual([])
  await Promise.all(Array.from({length: 4}, () => home.spawn(['account'])))
  const kept = lastExchanges(home.configDirectory, 50)
  expect(kept).toHaveLength(4)
  expect(kept[0]).toMatchObject({command: 'account', method: 'GET', status: 200, attempt: 1})
})
