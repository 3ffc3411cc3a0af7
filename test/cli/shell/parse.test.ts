/** Values of flags and arguments: parsed to their types, or refused with their names, all errors at once. */

import {parse} from '@oclif/core/parser'
import {expect, test} from 'vitest'
import {scopesOf} from '../../../src/cli/session/setting-keys.js'
import {globalFlags} from '../../../src/cli/shell/global-flags.js'
import {missingValues, readAnswer, type Specs} from '../../../src/cli/shell/missing-values.js'
import {readSoftly} from '../../../src/cli/shell/parse.js'
import Api from '../../../src/commands/api.js'
import ConfigSet from '../../../src/commands/config/set.js'
import Doctor from '../../../src/commands/doctor.js'
import HotelsSearch from '../../../src/commands/hotels/search.js'
import Login from '../../../src/commands/login.js'
import ReservationsCancel from '../../../src/commands/reservations/cancel.js'
import ReservationsList from '../../../src/commands/reservations/list.js'
import Reserve from '../../../src/commands/reserve.js'
import FaultAdd from '../../../src/commands/sandbox/fault/add.js'
import SandboxStart from '../../../src/commands/sandbox/start.js'
import Token from '../../../src/commands/token.js'
import ToursSearch from '../../../src/commands/tours/search.js'
import WebhooksCreate from '../../../src/commands/webhooks/create.js'
import EventsList from '../../../src/commands/webhooks/events/list.js'
import WebhooksListen from '../../../src/commands/webhooks/listen.js'
import WebhooksProbe from '../../../src/commands/webhooks/probe.js'
import WebhooksSign from '../../../src/commands/webhooks/sign.js'
import WebhooksUpdate from '../../../src/commands/webhooks/update.js'
import WebhooksVerify from '../../../src/commands/webhooks/verify.js'
import {rejectionOf} from '../../support/thrown.js'

interface Defined {
  readonly args?: object
  readonly flags?: object
  readonly strict?: boolean
}

/** Returns the values that a command gets from `argv`, and the errors. */
async function readLine(command: Defined, argv: readonly string[]) {
  const {args = {}, strict = true} = command
  const specs = {args, strict, flags: {...globalFlags, ...command.flags}} as unknown as Specs
  const {output, errors, missing} = await readSoftly(specs, argv, (softened, words) =>
    parse(words, {...softened, context: {}} as never),
  )
  return {args: output.args, flags: output.flags, missing, errors: errors.map(({message}) => message)}
}

test.each<[Defined, string, object]>([
  [HotelsSearch, '--city 101 --nights 3 --room 2:7,0 --nationality tr', {city: 101, nights: 3}],
  [HotelsSearch, '--room 2:7,0 --room 1', {room: [room(2, 7, 0), room(1)]}],
  [HotelsSearch, '--check-in 01.06.2030 --check-out +3', {'check-in': '2030-06-01', 'check-out': '+3'}],
  [HotelsSearch, '--nationality tr --currency eur', {nationality: 'TR', currency: 'EUR'}],
  [ToursSearch, '--date 2030-06-01 --currency usd', {date: '2030-06-01', currency: 'USD'}],
  [Reserve, '--guest name=A,tc=1', {guest: [{name: 'A', identity: {type: 'TC', number: '1'}}]}],
  [Api, 'GET / --header A:b:c', {header: [['a', 'b:c']]}],
  [SandboxStart, '--port 0', {port: 0, latency: 0}],
  [WebhooksCreate, '--url https://a.example/ --event a,b --event c', {event: ['a', 'b', 'c']}],
  [WebhooksListen, '--forward-to http://localhost:3000', {'forward-to': [{url: 'http://localhost:3000/'}]}],
  [WebhooksListen, '--forward-to http://127.1:80/', {'forward-to': [{url: 'http://127.0.0.1/'}]}],
  [WebhooksListen, '--forward-to *.failed=http://127.1/?a=b', route('*.failed', 'http://127.0.0.1/?a=b')],
  [WebhooksListen, '--forward-to https://a.example/?*=1', route(undefined, 'https://a.example/?*=1')],
  [WebhooksSign, '--at 1970-01-01T00:01:00.9Z', {at: 60}],
  [WebhooksVerify, '--at received', {at: 'received'}],
  [EventsList, '--since 1970-01-01T00:01:00Z', {since: 60}],
  [Doctor, '--receiver https://a.example/hooks#x', {receiver: 'https://a.example/hooks'}],
  [Doctor, '--proxy localhost:3128', {proxy: 'http://localhost:3128'}],
])('%o reads %j', async (command, line, flags) => {
  const read = await readLine(command, line.split(' ').filter(Boolean))
  expect(read.errors).toEqual([])
  expect(read.flags).toMatchObject(flags)
})

function route(pattern: string | undefined, url: string) {
  return {'forward-to': [{pattern, url}]}
}

function room(adults: number, ...children_ages: number[]) {
  return {adults, children_ages}
}

test.each<[Defined, flag: string, values: string[]]>([
  [HotelsSearch, '--check-in', ['2030-02-30', '31.06.2030', '01/06/2030', '2020-01-01', '+', '']],
  [HotelsSearch, '--nights', ['0', '1.5', '366', '']],
  [HotelsSearch, '--city', ['0', '']],
  [HotelsSearch, '--room', ['0', '0:5', '2:18', '2:', '2:7.5', '2:-1', '10', '']],
  [HotelsSearch, '--nationality', ['XX', 'Narnia', '']],
  [ToursSearch, '--currency', ['€', 'EURO', '']],
  [Reserve, '--guest', ['nmae=A', 'name', 'identity.type=TC', 'is_lead=yes']],
  [Reserve, '--contact', ['mail=a']],
  [ReservationsCancel, '--max-fee', ['5 EURO']],
  [ReservationsCancel, '--reason', ['x'.repeat(201)]],
  [ReservationsList, '--after', ['?']],
  [ReservationsList, '--created-from', ['yesterday', '2026-11-20T12:00:00', '2026-11-20 12:00Z']],
  [ReservationsList, '--created-to', ['2026-11-20T12:00:00+0300', '2026-11-20T12:00:00z']],
  [FaultAdd, '--code', ['offer_expird', 'nope']],
  [Login, '--scope', ['', ',']],
  [WebhooksListen, '--public-url', ['http://a.example/', 'https://u:p@a.example/']],
  [WebhooksListen, '--event', ['a,,b', 'a,', '']],
  [WebhooksUpdate, '--url', ['ftp://a', 'http://a.test/', 'https://u:p@a.test/', 'https://a.test/#x']],
  [WebhooksListen, '--port', ['70000']],
  [WebhooksListen, '--exit-after', ['0']],
  [WebhooksListen, '--forward-to', ['http://a.example/', 'http://127.0.0.1.example.com/']],
  [WebhooksListen, '--forward-to', ['http://10.0.0.1/', 'https://u:p@a.example/', 'ftp://localhost/']],
  [WebhooksListen, '--forward-to', ['localhost:3000', '', 'a b=http://localhost/']],
  [WebhooksListen, '--forward-to', ['reservations.*=http://localhost/', 'voucher=http://localhost/']],
  [WebhooksListen, '--forward-to', ['voucher.ready=http://a.example/', '=http://localhost/', '*=']],
  [WebhooksListen, '--expect', ['a ===']],
  [WebhooksListen, '--path', ['hooks']],
  [WebhooksSign, '--at', ['1969-12-31T23:59:59Z']],
  [WebhooksVerify, '--at', ['soon']],
  [WebhooksVerify, '--tolerance', ['-1']],
  [EventsList, '--since', ['soon', '2026-13-45']],
  [Doctor, '--receiver', ['http://a.example/']],
  [Doctor, '--query', ['items[']],
  [Doctor, '--proxy', ['ftp://a']],
  [Doctor, '--har', ['']],
  [Api, '--header', ['none']],
])('%o refuses %s %j by the name of the flag', async (command, flag, values) => {
  const named = expect.stringMatching(new RegExp(`^${flag}\\b`))
  for (const value of values) expect((await readLine(command, [flag, value])).errors).toEqual([named])
})

test.each([
  ['0:18,4,19', ['at least one adult', '; count 18 and 19 as adults']],
  ['10:1,1,1,1,1,1,1,1,1,1', ['at most 9 adults', 'at most 9 children']],
])('the room %s is refused for all that is wrong with it', async (room, parts) => {
  const {errors} = await readLine(HotelsSearch, ['--room', room])
  for (const part of parts) expect(errors).toEqual([expect.stringContaining(part)])
})

test.each<[Defined, string, string]>([
  [HotelsSearch, '--nights 1 --check-out 2030-06-01', '--check-out cannot be used with --nights'],
  [
    Login,
    '--client-secret-stdin --client-secret-file f',
    '--client-secret-stdin cannot be used with --client-secret-file',
  ],
  [WebhooksListen, '--cert a', 'missing: --key, which --cert requires'],
  [WebhooksListen, '--subscribe', 'missing: --public-url, which --subscribe requires'],
])('%o: %s', async (command, line, message) => {
  expect((await readLine(command, line.split(' '))).errors).toEqual([message])
})

test.each<[Defined, string, string[], object]>([
  [HotelsSearch, '--city 101 --nights', ['--nights expects a value'], {city: 101}],
  [
    HotelsSearch,
    '--city --json --nights=--quiet',
    ['--city expects a value', '--nights expects a value'],
    {json: true},
  ],
  [HotelsSearch, '--nights 2 --nights=3 --city 1', ['--nights can only be given once'], {city: 1}],
  [HotelsSearch, '--room 2 --room', ['--room expects a value'], {}],
  [Api, 'GET / -vd {} -H', ['--header expects a value'], {data: '{}', verbose: true}],
  [Doctor, '--format --format', ['--format can only be given once'], {}],
  [Doctor, '--format', ['--format must be one of: table, tsv, csv, ndjson, json'], {}],
])(
  '%o %j: what has no value, or was given twice, is named, and the rest is read',
  async (command, line, errors, flags) => {
    const read = await readLine(command, line.split(' '))
    expect(read.errors.sort()).toEqual(errors)
    expect(read.flags).toMatchObject(flags)
  },
)

test.each([
  ['--wait', 900],
  ['--wait 5', 5],
  ['--wait=7', 7],
  ['--wait --json', 900],
])('%s waits %i seconds', async (line, wait) => {
  expect((await readLine(Reserve, line.split(' '))).flags).toMatchObject({wait})
})

test('scopes are read from several flags and from one with commas or spaces', async () => {
  for (const command of [Token, Login, Api]) {
    const argv = ['--scope', 'account:read,hotels:read', '--scope', 'tours:read webhooks:read']
    const {flags} = await readLine(command, argv)
    const scopes = ['account:read', 'hotels:read', 'tours:read', 'webhooks:read']
    expect(scopesOf(...(flags.scope as string[]))).toEqual(scopes)
    expect((await readLine(command, ['--scope', 'all'])).errors).toEqual(['unknown scope all'])
  }
})

test.each(['profile', 'base-url'])('an empty --%s is refused', async name => {
  for (const argv of [[`--${name}`, ''], [`--${name}=`]])
    expect((await readLine(Doctor, argv)).errors).toEqual([`--${name}: must have a value, not ""`])
})

test('an error in an argument names the argument', async () => {
  const {errors} = await readLine(WebhooksProbe, ['http://a.example/'])
  expect(errors).toEqual([expect.stringMatching(/^URL: must be an https URL/)])
  expect((await readLine(ConfigSet, ['tiemout', '1'])).errors).toEqual(['unknown setting tiemout'])
  const method = expect.stringMatching(/^METHOD: must be one/)
  expect((await readLine(Api, ['fetch', '/'])).errors).toEqual([method])
  expect((await readLine(Api, ['get', '/'])).args).toEqual({method: 'GET', path: '/'})
})

test('reads an answer for a missing value like the flag or argument', async () => {
  const {missing} = await readLine(WebhooksCreate, [])
  const url = missing.find(({name}) => name === 'url') as (typeof missing)[0]
  expect(await readAnswer(url, 'https://a.example/')).toBe('https://a.example/')
  expect((await rejectionOf(readAnswer(url, 'nowhere'))).message).toBe('--url: must be an https URL')
  const [ref] = missingValues(ReservationsCancel as unknown as Specs, {args: {}, flags: {}})
  if (!ref) throw new Error('REF is not missing')
  expect((await rejectionOf(readAnswer(ref, 'a/b'))).message).toMatch(/^REF: must be a reservation reference/)
})
