import {describe, expect, test} from 'vitest'
import {describeFailure} from '../../../src/cli/shell/exit-codes.js'
import {Failure} from '../../../src/contract/failure.js'
import {StorageError} from '../../../src/storage/errors.js'

test('a failure is complete as text and as JSON', () => {
  const said = {code: 'offer_expired', status: 410, hint: 'search again'}
  const details = {...said, requestId: 'req_1', reason: 'gone'}
  const {exit, document, text} = describeFailure(new Failure('refused', 'too late', details))
  // The code of each kind is in the committed list (test/surface).
  expect(exit).toBe(5)
  expect(document).toEqual({error: {...said, message: 'too late', request_id: 'req_1', cause: 'gone'}})
  expect(text).toBe('Error: too late\nCause: gone\nRequest: req_1\nHint: search again')
})

test('a failure without a next step gets the default one, and names the service', () => {
  const failure = new Failure('refused', 'no\u001b[2J', {code: 'c'})
  const {document, text} = describeFailure(failure, 'https://a.test')
  expect(document).toMatchObject({error: {hint: expect.stringContaining('--verbose')}})
  expect(text).toMatch(/^Error: no\\u001b\[2J\nService: https:\/\/a\.test\nHint: \S/)
  const typed = new Failure('usage', 'm', {code: 'c'})
  expect(describeFailure(typed, 'https://a.test').text).not.toContain('a.test')
})

test('the result of completed work is kept at any length', () => {
  const result = {result: {offers: 'x'.repeat(10_000)}}
  const details = {code: 'query_failed', result, keepsResult: true}
  expect(describeFailure(new Failure('service_failed', 'm', details)).document).toMatchObject(result)
  const shortened = describeFailure(new Failure('service_failed', 'm', {code: 'c', result})).document
  expect(shortened).not.toHaveProperty('result')
})

test('storage faults are usage', () => {
  const {exit, document} = describeFailure(new StorageError('corrupt', 'damaged', 'restore it'))
  expect({exit, document}).toMatchObject({exit: 2, document: {error: {code: 'storage_corrupt'}}})
})

describe('an internal error', () => {
  test('exits with 1 and shows no details', () => {
    const {exit, document, text} = describeFailure(new TypeError('sk_test_secret is not a function'))
    expect(exit).toBe(1)
    expect(JSON.stringify([document, text])).not.toContain('sk_test')
  })

  test.each([undefined, null, 'text', 7, {}])('also when %j was thrown', thrown => {
    expect(describeFailure(thrown).exit).toBe(1)
  })
})

test('an error stays under 4 kB and leaves out long keys', () => {
  const result = {outcome: 'unknown', reservation: {text: 'x'.repeat(5000)}}
  const {document} = describeFailure(
    new Failure('pending', 'ü'.repeat(9000), {code: 'c', hint: 'h'.repeat(9000), result}),
  )
  expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThan(4000)
  expect(document).toMatchObject({outcome: 'unknown'})
  expect(document).not.toHaveProperty('reservation')
})

test('an answer of no is no error, and ends with the same exit code', () => {
  const no = new Failure('usage', 'not confirmed; nothing was sent', {code: 'not_confirmed', hint: 'again'})
  expect(describeFailure(no)).toMatchObject({exit: 2, text: 'Not confirmed; nothing was sent.'})
})

test('a message in lines is printed a line each, and whole in JSON', () => {
  const details = {code: 'c', hint: 'h', lines: ['line 2: a\u001b[2J', 'line 3: b']}
  const {document, text} = describeFailure(new Failure('usage', 'line 2: a; line 3: b', details))
  expect(text).toBe('Error: line 2: a\\u001b[2J\n       line 3: b\nHint: h')
  expect(document).toEqual({error: {code: 'c', message: 'line 2: a; line 3: b', hint: 'h'}})
})
