/** The signed page: any change is found, and nothing in it is loaded or run. */
import {generateKeyPairSync} from 'node:crypto'
import {expect, test} from 'vitest'
import {checkSheet, signedSheet} from '../../../../src/cli/features/certify/signed-sheet.js'
import type {CertifySheet} from '../../../../src/contract/certificate.js'

const rule = {rule: 'reserve.key', section: '§4.4', required: true, seen: 3, advice: 'Send a key.'}
const SHEET: CertifySheet = {
  ...{client_id: 'cid_sandbox', since: null, requests: 9, passed: 1, failed: 1, not_shown: 1},
  rules: [
    {...rule, verdict: 'failed', evidence: ['req_<1>'], text: 'no key: <script>alert(1)</script>'},
    {...rule, rule: 'token.cached', verdict: 'passed', evidence: [], text: 'kept'},
    {...rule, rule: 'errors.busy', verdict: 'not_shown', evidence: [], text: 'never busy', drills: ['busy']},
  ],
}
const FACTS = {
  ...{program: 'trips <1.4> & "sons"', version: '9.9.9', madeAt: '2030-06-01T12:00:00Z'},
  proof: {digest: 'sha256:abc', deliveries: 4, first_at: '2030-06-01T11:00:00Z', last_at: null},
}
const newKey = () => generateKeyPairSync('ed25519').privateKey
const key = newKey()
const page = Buffer.from(signedSheet(SHEET, FACTS, key))

test('is a self-contained file without scripts, which has the facts and shows foreign text as text', () => {
  const text = page.toString()
  expect(text).not.toMatch(/<script|<link|<img|<iframe|\bsrc=|\bhref=|url\(|@import|https?:/i)
  expect(text).toContain("default-src 'none'")
  expect(text).toContain('@media print')
  expect(text).toContain('no key: &lt;script&gt;alert(1)&lt;/script&gt;')
  expect(text).toContain('<h1>trips &lt;1.4&gt; &amp; &quot;sons&quot;</h1>')
  for (const fact of [
    '9.9.9',
    '2030-06-01T12:00:00Z',
    'sha256:abc',
    '9 requests and 4 deliveries',
    'req_&lt;1&gt;',
    'never busy (bookctl sandbox drill busy)',
  ])
    expect(text).toContain(fact)
  expect(text.indexOf('reserve.key')).toBeLessThan(text.indexOf('token.cached'))
})

test('is verified unchanged, and its key is distinguished from others', () => {
  const own = checkSheet(page, key)
  expect(own).toEqual({unchanged: true, key: expect.stringMatching(/^SHA256:[\w+/]{43}$/), own_key: true})
  expect(page.toString()).toContain(own.key)
  expect(checkSheet(page, undefined)).toEqual({...own, own_key: false})
  expect(checkSheet(page, newKey())).toEqual({...own, own_key: false})
  const other = checkSheet(Buffer.from(signedSheet(SHEET, FACTS, newKey())), key)
  expect(other).toMatchObject({unchanged: true, own_key: false})
  expect(other.key).not.toBe(own.key)
})

test('line ends as mail and git write them are no change', () => {
  const lines = page.toString().split('\n')
  expect(checkSheet(Buffer.from(lines.join('\r\n')), key)).toEqual(checkSheet(page, key))
  for (const end of ['\r', '\n\n', '\n\r', ' \r\n'])
    expect(checkSheet(Buffer.from(lines.join(end)), key).unchanged).toBe(false)
  const typed = Buffer.from(signedSheet(SHEET, {...FACTS, program: 'trips\r\n1.4'}, key))
  expect(checkSheet(typed, key).unchanged).toBe(true)
})

test('a change of any byte is found, and so is one that is cut off or added', () => {
  const passes = (bytes: Buffer) => {
    const {unchanged, own_key} = checkSheet(bytes, key)
    return unchanged && own_key
  }
  expect(passes(page)).toBe(true)
  const accepted = [...page.keys()].filter(at => {
    const changed = Buffer.from(page)
    changed[at] = (changed[at] ?? 0) ^ 1
    return passes(changed)
  })
  expect(accepted).toEqual([])
  for (const bytes of [page.subarray(1), page.subarray(0, -1), Buffer.concat([page, page]), Buffer.alloc(0)])
    expect(passes(bytes)).toBe(false)
  expect(passes(Buffer.concat([page, Buffer.from('\n')]))).toBe(false)
  // Another spelling of the same signature in base64.
  const spelt = page
    .toString()
    .replace(/(.)==( -->\n)$/, (_, last, end) => `${String.fromCharCode(last.charCodeAt(0) + 1)}==${end}`)
  expect(spelt).not.toBe(page.toString())
  expect(passes(Buffer.from(spelt))).toBe(false)
  // Signed again with another key, over the signature that was there.
  const [comment = ''] = /<!-- bookctl-signature .*\n$/.exec(page.toString()) ?? []
  expect(comment).not.toBe('')
  const [foreign = ''] = /<!-- bookctl-signature .*\n$/.exec(signedSheet(SHEET, FACTS, newKey())) ?? []
  expect(passes(Buffer.from(page.toString().replace(comment, foreign)))).toBe(false)
})
