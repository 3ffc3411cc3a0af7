import {expect, test} from 'vitest'
import {storeErrorOf} from '../../../src/state/postgres/errors.js'

const SHOWN = 'postgres://ann@h:5432/booking'

test.each([
  // As PgBouncer says it, with one code for all.
  ['08P01', 'password authentication failed', 'not_allowed', 'usage'],
  ['08P01', 'no such user: ann', 'not_allowed', 'usage'],
  ['08P01', 'no such database: booking', 'not_ours', 'usage'],
  [
    '08P01',
    'server login has been failing, try again later (server_login_retry)',
    'unreachable',
    'unreachable',
  ],
  // As `pg` says it, with no code.
  [undefined, 'Connection terminated unexpectedly', 'unreachable', 'unreachable'],
  [undefined, 'timeout expired', 'unreachable', 'unreachable'],
  [undefined, 'The server does not support SSL connections', 'unreachable', 'unreachable'],
  [undefined, 'There was an error establishing an SSL connection', 'not_ours', 'usage'],
] as const)('the error %s %s is %s', (code, message, fault, kind) => {
  const error = storeErrorOf(Object.assign(new Error(message), code && {code}), SHOWN)
  expect(error).toMatchObject({fault, kind})
  expect(error.message).toContain(SHOWN)
})
