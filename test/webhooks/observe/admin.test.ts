/** The admin port over http. */
import {expect, test} from 'vitest'
import {type Problem, serveAdmin} from '../../../src/webhooks/observe/admin.js'
import {closing} from '../../support/own.js'

test('health is always 200, readiness has its reasons, and nothing else is served', async () => {
  const problems: Problem[] = []
  const observed = {problems: () => problems, metrics: async () => '# HELP a b\n'}
  const {url} = closing(await serveAdmin(observed, {host: '127.0.0.1', port: 0}))
  const get = async (path: string, method = 'GET') => {
    const answer = await fetch(url + path, {method})
    return [answer.status, answer.headers.get('content-type'), await answer.text()]
  }
  const plain = 'text/plain; charset=utf-8'
  expect(await get('/healthz')).toEqual([200, plain, 'ok\n'])
  expect(await get('/readyz?verbose')).toEqual([200, 'application/json', '{"ready":true,"reasons":[]}\n'])
  problems.push({reason: 'store_failed', message: 'no space left'})
  const reasons = '[{"reason":"store_failed","message":"no space left"}]'
  expect(await get('/readyz')).toEqual([503, 'application/json', `{"ready":false,"reasons":${reasons}}\n`])
  expect(await get('/readyz', 'HEAD')).toEqual([503, 'application/json', ''])
  expect(await get('/healthz')).toEqual([200, plain, 'ok\n'])
  expect(await get('/metrics')).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8', '# HELP a b\n'])
  expect((await get('/metrics', 'POST'))[0]).toBe(405)
  expect((await get('/'))[0]).toBe(404)
})
