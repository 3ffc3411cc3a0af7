/** What a service answers besides a success, and what of it reaches the person at the terminal. */
import {expect, test} from 'vitest'
import {answer, type Script} from '../support/scripted-service.js'
import {scriptedHome} from './scripted-home.js'

const {service, home} = await scriptedHome()

/** Answers requests to `path` with `body`. */
const answering =
  (path: string, status: number, body: object): Script =>
  (request, response) => {
    if (request.path !== path) return false
    answer(response, status, body)
    return true
  }

test.each([
  ['no_such_account', 'gone', {error: {code: 'no_such_account', message: 'gone'}}],
  ['no_such_account', 'gone', {data: null, error: {code: 'no_such_account', message: 'gone'}}],
  ['E7', 'gone', {success: false, code: 'E7', message: 'gone', request_id: 'r1'}],
  ['E7', 'gone', {success: false, data: {}, errors: [{code: 'E7', message: 'gone'}]}],
  ['error_in_answer', 'without saying why', {success: false}],
  ['maintenance', 'maintenance', {error: 'maintenance'}],
])('status 200 with an error in it is a failure: %s, %s, %j', async (code, words, body) => {
  service.script = answering('/account', 200, body)
  const {exit, result} = await home.json<{error: {message: string}}>(['account'])
  expect({exit, result}).toMatchObject({exit: 6, result: {error: {code, status: 200}}})
  expect(result.error.message).toContain(words)
})

const DETAILS = [
  {field: 'a', message: 'too long'},
  {field: 'b', code: 'missing'},
  {field: 'c', message: 'wrong'},
  {field: 'd', message: 'left out'},
]
const currency = 'EUR'

test.each<[string, object]>([
  ['E_42', {error: {code: 'E_42'}}],
  ['E_42', {errors: [{code: 'E_42'}]}],
  ['not valid (a: too long; b: missing; c: wrong)', {error: {message: 'not valid', details: DETAILS}}],
  ['No (email: is empty; name: is long)', {title: 'No', errors: {email: ['is empty', 'x'], name: 'is long'}}],
  [
    'small (needed 12.50, available 3 EUR)',
    {error: {message: 'small', needed: '12.50', available: 3, currency}},
  ],
  ['dearer (was 10.00, now 11.00 EUR)', {error: {message: 'dearer', old: '10.00', new: '11.00', currency}}],
  ['used (reservation R-9)', {error: {code: 'used', reservation_ref: 'R-9'}}],
  ['a: \\u001b[31mred', {details: [{field: 'a', message: '\u001b[31mred'}]}],
])('says %j', async (words, body) => {
  service.script = answering('/account', 400, body)
  const {exit, stderr} = await home.run(['account'])
  expect(exit).toBe(5)
  expect(stderr.split('\n')[0]).toBe(`Error: the service refused: ${words}`)
})
