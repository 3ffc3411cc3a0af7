import * as fc from 'fast-check'
import {parse} from 'jsonc-parser'
import {expect, test} from 'vitest'
import {
  keysAt,
  readValue,
  withoutValue,
  withValue,
} from '../../../../src/cli/features/agents/settings-text.js'

const JSONC = {file: 'mcp.json', hasComments: true}
const STRICT = {file: 'claude.json', hasComments: false}
const KEYS = ['servers', 'bookctl']
const ENTRY = {type: 'stdio', command: 'bookctl', args: ['mcp', '--profile', 'work']}

const COMMENTED = `// servers of the team
{
	// do not sort
	"servers": {
		"git": {"command": "uvx", "args": ["mcp-server-git"]}, // kept
		/* "old": {"command": "x"}, */
		"time": {
			"command": "uvx", // from PyPI
		}, // last
		// "off": {}
	},
	"inputs": [], // none yet
}
`

test('adds an entry and leaves every comment, comma and tab where it is', () => {
  const changed = withValue(COMMENTED, KEYS, ENTRY, JSONC)
  const added =
    '\n\t\t"bookctl": {\n\t\t\t"type": "stdio",\n\t\t\t"command": "bookctl",\n\t\t\t"args": [\n\t\t\t\t"mcp",\n\t\t\t\t"--profile",\n\t\t\t\t"work"\n\t\t\t]\n\t\t},'
  expect(changed).toBe(COMMENTED.replace('// "off": {}', `// "off": {}${added}`))
  expect(withoutValue(changed, KEYS, JSONC)).toBe(COMMENTED)
})

test('replaces a value alone', () => {
  const text = '{"servers": {"bookctl": {"command": "old", /* mine */ "env": {"A": "1"}}}}'
  expect(withValue(text, [...KEYS, 'command'], 'bookctl', JSONC)).toBe(text.replace('old', 'bookctl'))
})

test.each([
  ['', '{}'],
  ['{}', '{}'],
  ['{}\r\n', '{}\r\n'],
  ['{"a":1}', '{"a":1}'],
  ['{"a":1,"servers":{"x":{}}}', '{"a":1,"servers":{"x":{}}}'],
  ['{\r\n    "a": 1\r\n}\r\n', '{\r\n    "a": 1\r\n}\r\n'],
  ['{\n  "servers": {}\n}', '{}'],
  ['{ // nothing yet\n}', '{ // nothing yet\n}'],
  ['{"servers": { // nothing yet\n}}', '{"servers": { // nothing yet\n}}'],
  ['{"a": 1 // one\n}', '{"a": 1 // one\n}'],
  ['{"a": 1, // one\n}', '{"a": 1, // one\n}'],
])('what was added to %j can be removed again', (before, after) => {
  const changed = withValue(before, KEYS, ENTRY, JSONC)
  expect(readValue(changed, KEYS, JSONC)).toEqual(ENTRY)
  expect(withoutValue(changed, KEYS, JSONC).trim()).toBe(after.trim())
})

test.each([
  ['{\n  // about x\n  "x": 1 }', '{\n  // about x\n  }'],
  ['{"x": 1, "b": 2}', '{ "b": 2}'],
  ['{\n  "x": 1, // of x\n  "b": 2\n}', '{\n  // of x\n  "b": 2\n}'],
  ['{\n  "a": 1, // of a, and more\n  "x": 1\n}', '{\n  "a": 1 // of a, and more\n}'],
  ['{"a": 1}', '{"a": 1}'],
])('removes x from %j', (before, after) => {
  expect(withoutValue(before, ['x'], JSONC)).toBe(after)
})

/** A JSON object as text, with spaces and comments anywhere between its tokens. */
const gap = fc.constantFrom('', '', ' ', '\n', '\n  ', '\t', ' // c, {\n', '/* "x": }, */', '\r\n')
const texts: fc.Arbitrary<string> = fc.letrec<{value: string; object: string}>(tie => ({
  value: fc.oneof(
    {depthSize: 'small'},
    fc.constantFrom('1', 'null', '"a // b"', '[1, 2]', '"}"'),
    tie('object'),
  ),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'servers', 'bookctl'), gap, gap, tie('value'), gap), {
        selector: ([key]) => key,
        maxLength: 4,
      }),
      gap,
      fc.boolean(),
    )
    .map(([entries, inside, hasComma]) => {
      const written = entries.map(([key, g1, g2, value, g3]) => `${g1}"${key}":${g2}${value}${g3}`)
      return `{${written.join(',')}${hasComma && entries.length > 0 ? ',' : ''}${inside}}`
    }),
})).object

test('changes one entry of any text, and nothing else', () => {
  fc.assert(
    fc.property(texts, text => {
      const before = parse(text)
      const {servers = {}} = before
      if (typeof servers !== 'object' || servers === null || Array.isArray(servers)) {
        expect(() => withValue(text, KEYS, ENTRY, JSONC)).toThrow('has no object at servers')
        return
      }
      const added = withValue(text, KEYS, ENTRY, JSONC)
      expect(commentsOf(added)).toEqual(
        servers.bookctl === undefined ? commentsOf(text) : expect.arrayContaining([]),
      )
      expect(readValue(added, [], JSONC)).toEqual({...before, servers: {...servers, bookctl: ENTRY}})
      const removed = readValue(withoutValue(added, KEYS, JSONC), [], JSONC)
      const {bookctl: _, ...others} = servers
      const {servers: __, ...rest} = before
      const isEmpty = Object.keys(others).length === 0 && (removed as typeof before).servers === undefined
      expect(removed).toEqual(isEmpty ? rest : {...rest, servers: others})
      if (servers.bookctl === undefined)
        expect(commentsOf(withoutValue(added, KEYS, JSONC))).toEqual(commentsOf(text))
    }),
    {numRuns: 2000},
  )
})

function commentsOf(text: string): string[] {
  return text.match(/\/\/ c, \{|\/\* "x": \}, \*\//g) ?? []
}

test.each([
  ['{"a": 1', 'claude.json is not valid JSON: close brace expected on line 1'],
  ['{\n  // c\n}', 'claude.json is not valid JSON: invalid comment token on line 2'],
  ['{"a": 1,\n}', 'claude.json is not valid JSON: property name expected on line 2'],
  ['[]', 'claude.json is not a JSON object'],
  ['{"servers": []}', 'claude.json has no object at servers'],
  ['{"servers": {},\n"servers": {}}', 'claude.json has "servers" twice, again on line 2'],
  [`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, 'claude.json is nested too deeply'],
])('refuses to change %.40s', (text, message) => {
  expect(() => withValue(text, KEYS, ENTRY, STRICT)).toThrow(message)
  expect(() => withoutValue(text, KEYS, STRICT)).toThrow(message)
})

test('lists keys', () => {
  expect(keysAt(COMMENTED, ['servers'], JSONC)).toEqual(['git', 'time'])
  expect(keysAt('', ['servers'], JSONC)).toEqual([])
})
