/** The service shows a signing secret only once. Even if the disk is full at that moment, the secret is stored or printed. */
import {type ChildProcess, spawnSync} from 'node:child_process'
import {beforeEach, expect, test} from 'vitest'
import type {Home} from '../support/bookctl.js'
import {closing, ownHome} from '../support/own.js'
import {answer, ScriptedService} from '../support/scripted-service.js'
import {SECRET} from '../support/webhook-load.js'

const CREATED = 'whsec_created_once'
const SUBSCRIPTION = {
  id: 'whsub_1',
  url: 'https://partner.example/',
  events: ['voucher.ready'],
  secret: CREATED,
  is_active: true,
}
const canLimit = spawnSync('prlimit', ['--version']).status === 0

let service: ScriptedService
let home: Home
let child: ChildProcess | undefined
/** Whether the scripted service carries out a deletion. */
let deletes: boolean

beforeEach(async () => {
  deletes = false
  service = closing(await ScriptedService.start())
  service.script = ({method, path}, response) => {
    // Before it creates a subscription, the command may list the existing ones.
    if (path === '/oauth/token' || method === 'GET') return false
    if (method === 'DELETE') answer(response, deletes ? 200 : 500, {})
    else {
      if (child?.pid) spawnSync('prlimit', ['--pid', String(child.pid), '--fsize=0:'])
      answer(response, 201, {data: SUBSCRIPTION})
    }
    return true
  }
  home = ownHome({...service.env, BOOKCTL_WEBHOOK_SECRET: SECRET})
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
  .each([[CREATE], [[...CREATE, '--quiet']], [[...CREATE, '--json']], [LISTEN], [[...LISTEN, '--json']]])(
  '%j',
  async argv => {
    const {exit, stdout, stderr} = await run(argv)
    expect([exit, stdout.includes(CREATED), stderr.includes(CREATED)]).toEqual([10, true, false])
    expect(stdout + stderr).toContain('its secret, which is shown only once, could not be stored')
    expect(stdout + stderr).toContain('bookctl webhooks delete whsub_1')
  },
)

test.runIf(canLimit)('what listen subscribed is deleted again, where that is possible', async () => {
  deletes = true
  const paths = {'subscriptions.delete': '/webhooks/subscriptions/{subscription_id}'}
  home.configure({defaults: {paths}})
  const {exit, stdout, stderr} = await run(LISTEN)
  expect([exit, stdout]).toEqual([2, ''])
  expect(stderr).toContain('so the subscription was deleted again: cannot write more to')
})
