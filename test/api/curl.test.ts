/** Lines for the shell: `sh` reads them back, and they hold no secret and no personal data. */
import {execFileSync} from 'node:child_process'
import {expect, test} from 'vitest'
import {createRedactor} from '../../src/api/redact/redact.js'
import {curlLine} from '../../src/api/trace/curl.js'

/** The words `sh` makes of `line`, without `curl` itself. */
function wordsOf(line: string): string[] {
  const script = `curl() { for word; do printf '%s\\0' "$word"; done; }\n${line}`
  const env = {...process.env, BOOKCTL_TOKEN: 'tok$(id)', BOOKCTL_CLIENT_SECRET: 'sk_"x'}
  return execFileSync('sh', ['-c', script], {env, encoding: 'utf8'}).split('\0').slice(0, -1)
}

test('the shell reads back what was asked, whatever is in it', () => {
  const body = JSON.stringify({a: `it's "$HOME" \`id\` $(id) \\ ;&|`, b: ['ş', 1.5, null]})
  const line = curlLine(
    {
      method: 'POST',
      url: "https://service.test/v1/x/it's?q=a%20b&c=%26",
      headers: {authorization: 'Bearer secret', 'x-note': "don't $(id)", 'user-agent': 'bookctl/1'},
      body,
    },
    createRedactor(),
  )
  expect(line).not.toContain('secret')
  expect(wordsOf(line)).toEqual([
    '-sS',
    '-X',
    'POST',
    "https://service.test/v1/x/it's?q=a%20b&c=%26",
    '-H',
    'Authorization: Bearer tok$(id)',
    '-H',
    "x-note: don't $(id)",
    '--data-raw',
    body,
  ])
})

test('secrets of the OAuth bodies are variables', () => {
  const line = curlLine(
    {
      method: 'POST',
      url: 'https://service.test/v1/oauth/token',
      headers: {},
      body: '{"client_id":"cid_1","client_secret":"sk_test_canary","scope":"hotels:read"}',
    },
    createRedactor(),
  )
  expect(line).not.toContain('canary')
  expect(wordsOf(line).at(-1)).toBe('{"client_id":"cid_1","client_secret":"sk_"x","scope":"hotels:read"}')
})

test("people's data is taken out, and of a signed link the path", () => {
  const redactor = createRedactor()
  const body = JSON.stringify({guests: [{name: 'Canaryşe', identity: {number: '10000000146'}}]})
  const headers = {authorization: 'Bearer x'}
  expect(curlLine({method: 'POST', url: 'https://s.test/v1/r', headers, body}, redactor)).not.toMatch(
    /Canary|10000000146/,
  )
  expect(curlLine({method: 'GET', url: 'https://f.test/signed/v.pdf?sig=1', headers: {}}, redactor)).toBe(
    "curl -sS 'https://f.test/[redacted]'",
  )
})
