/** What a service answers besides a success, and what of it reaches the person at the terminal. */
import type {ServerResponse} from 'node:http'
import {afterAll, afterEach, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {answer, type Script, ScriptedService} from '../support/scripted-service.js'

const service = await ScriptedService.start()
const home = new Home({
  BOOKCTL_BASE_URL: service.baseUrl,
  BOOKCTL_CLIENT_ID: 'cid_x',
  BOOKCTL_CLIENT_SECRET: 'sk_test_right',
})
const held: ServerResponse[] = []
afterEach(() => {
  for (const response of held.splice(0)) response.destroy()
})
afterAll(() => {
  home.remove()
  service.close()
})

/** Answers requests to `path` with `body`. */
const answering =
  (path: string, status: number, body: object): Script =>
  (request, response) => {
    if (request.path !== path) return false
    answer(response, status, body)
    return true
  }

test('--timeout bounds the fetch of a voucher too', async () => {
  service.script = (request, response) => {
    if (request.path === '/file') return held.push(response) > 0
    const url = `${new URL(service.baseUrl).origin}/partner-api/v1/file`
    return answering('/reservations/R-1/voucher', 200, {data: {voucher: {url}}})(request, response)
  }
  const {exit, result} = await home.json(['voucher', 'download', 'R-1', '--timeout', '2'])
  expect({exit, result}).toMatchObject({exit: 7, result: {error: {code: 'timeout'}}})
  expect(held.length).toBeGreaterThan(0)
})
