/** A signing secret, which the service shows once, on a disk that takes nothing when it comes: it is stored or shown. */
import {type ChildProcess, spawnSync} from 'node:child_process'
import {mkdirSync, writeFileSync} from 'node:fs'
import {createServer, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {SECRET} from '../support/webhook-load.js'

const CREATED = 'whsec_created_once'
const TOKEN = {access_token: 'token_1', token_type: 'Bearer', expires_in: 7200, scope: 'webhooks:write'}
const SUBSCRIPTION = {
  ...{id: 'whsub_1', url: 'https://partner.example/', events: ['voucher.ready']},
  ...{secret: CREATED, is_active: true},
}
const canLimit = spawnSync('prlimit', ['--version']).status === 0

let service: Server
let home: Home
let child: ChildProcess | undefined
/** Whether a deletion is done. */
let deletes: boolean

beforeEach(async () => {
  deletes = false
  service = createServer((request, response) => {
    const answer = (status: number, data: object) =>
      response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(data))
    request.resume().on('end', () => {
      if (request.url === '/v1/oauth/token') answer(200, TOKEN)
      else if (request.method === 'DELETE') answer(deletes ? 200 : 500, {})
      else {
        if (child?.pid) spawnSync('prlimit', ['--pid', String(child.pid), '--fsize=0:'])
        answer(201, {data: SUBSCRIPTION})
      }
    })
  })
  await new Promise<void>(resolve => service.listen(0, '127.0.0.1', resolve))
  home = new Home({
    BOOKCTL_BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`,
    BOOKCTL_CLIENT_ID: 'cid_1',
    BOOKCTL_CLIENT_SECRET: 'sk_test_1',
    BOOKCTL_WEBHOOK_SECRET: SECRET,
  })
})
afterEach(async () => {
  service.closeAllConnections()
  await new Promise(resolve => service.close(resolve))
  home.remove()
})

const run = (argv: string[]) =>
  home.run(argv, {
    onStart: started => {
      child = started
    },
  })
const CREATE = ['webhooks', 'create', '--url', 'https://partner.example/', '--event', 'voucher.ready']
const LISTEN = ['webhooks', 'listen', '--subscribe', '--public-url', 'https://partner.example/']

test
  .runIf(canLimit)
  .each([
    [CREATE],
    [[...CREATE, '--quiet']],
    [[...CREATE, '--columns', 'id']],
    [[...CREATE, '--query', 'subscription.id']],
    [[...CREATE, '--format', 'csv']],
    [[...CREATE, '--json']],
    [LISTEN],
    [[...LISTEN, '--quiet']],
    [[...LISTEN, '--json']],
  ])('%j', async argv => {
  const {exit, stdout, stderr} = await run(argv)
  expect([exit, stdout.includes(CREATED), stderr.includes(CREATED)]).toEqual([10, true, false])
  expect(stdout + stderr).toContain('its secret, which is shown only once, could not be stored')
  expect(stdout + stderr).toContain('bookctl webhooks delete whsub_1')
})

test.runIf(canLimit)('what listen subscribed is deleted again, where that is possible', async () => {
  deletes = true
  const paths = {'subscriptions.delete': '/webhooks/subscriptions/{subscription_id}'}
  mkdirSync(home.configDirectory, {mode: 0o700})
  writeFileSync(join(home.configDirectory, 'config.json'), JSON.stringify({defaults: {paths}}), {mode: 0o600})
  const {exit, stdout, stderr} = await run(LISTEN)
  expect([exit, stdout]).toEqual([2, ''])
  expect(stderr).toContain('so the subscription was deleted again: cannot write more to')
})
