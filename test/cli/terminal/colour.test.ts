import {expect, test} from 'vitest'
import {hasColour, painterFor} from '../../../src/cli/terminal/colour.js'

const TTY = {isTTY: true}

test.each<[boolean, {isTTY?: boolean}, NodeJS.ProcessEnv]>([
  [true, TTY, {}],
  [false, {}, {}],
  [false, TTY, {NO_COLOR: '1'}],
  [true, TTY, {NO_COLOR: ''}],
  [false, TTY, {TERM: 'dumb'}],
  [false, TTY, {CLICOLOR: '0'}],
  [true, {}, {FORCE_COLOR: '1'}],
  [true, {}, {FORCE_COLOR: ''}],
  [false, TTY, {FORCE_COLOR: '0'}],
  [true, {}, {CLICOLOR_FORCE: '1'}],
  [false, {}, {CLICOLOR_FORCE: '0'}],
  [false, {}, {CLICOLOR_FORCE: '1', NO_COLOR: '1'}],
  [false, {}, {FORCE_COLOR: '3', NO_COLOR: '1'}],
])('colour is %j for %j in %j', (expected, stream, env) => {
  expect(hasColour(stream, env)).toBe(expected)
})

test('a painter paints, and gives an empty text back as it is', () => {
  expect(painterFor(TTY, {})('bad', 'x')).toBe('\u001b[31mx\u001b[39m')
  expect(painterFor(TTY, {})('bad', '')).toBe('')
  expect(painterFor({}, {})('bad', 'x')).toBe('x')
})
