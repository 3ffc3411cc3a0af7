/** The explanation of bodies too long to be kept: what can be undone as they stream by, wherever the pieces part. */
import {createHmac} from 'node:crypto'
import {expect, test} from 'vitest'
import {type CapturedRequest, nothingAfterwards} from '../../src/webhooks/captures/captures.js'
import {type CheckTerms, check, MOST_KEPT_BYTES} from '../../src/webhooks/diagnose/check.js'
import {searchLongBody} from '../../src/webhooks/diagnose/long-body.js'
import {DEFAULT_HEADER_NAMES} from '../../src/webhooks/signature/headers.js'

const [SECRET, OTHER, T] = ['whsec_long', 'whsec_other', 1_700_000_000]

function digest(body: string, secret = SECRET): string {
  return createHmac('sha256', secret).update(`${T}.${body}`).digest('hex')
}

async function* inPieces(body: string, size: number) {
  const bytes = Buffer.from(body)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const lf = '{\n  "id": "a b \\" c\\\\",\n  "n": [1,\n 2]\n}'
const compact = '{"id":"a b \\" c\\\\","n":[1,2]}'
const CASES: [name: string, signed: string, inHand: string, code: string][] = [
  ['a line feed added', compact, `${compact}\n`, 'body_trailing_newline'],
  ['CRLF added', compact, `${compact}\r\n`, 'body_trailing_newline'],
  ['one of two line breaks added', `${compact}\r\n`, `${compact}\r\n\r\n`, 'body_trailing_newline'],
  ['several line breaks added', compact, `${compact}\n\n\n`, 'body_trailing_newline'],
  ['a line feed lost', `${compact}\n`, compact, 'body_trimmed'],
  ['CRLF lost', `${compact}\r\n`, compact, 'body_trimmed'],
  ['a mark added', compact, `\ufeff${compact}`, 'body_bom'],
  ['LF turned into CRLF', lf, lf.replaceAll('\n', '\r\n'), 'body_crlf'],
  ['CRLF turned into LF', `${lf.replaceAll('\n', '\r\n')}\r\n`, `${lf}\n`, 'body_crlf'],
  ['indented', compact, lf, 'body_reserialized'],
]

test.each(CASES)('%s, in pieces of every size', async (_, signed, inHand, code) => {
  const claims = [{timestamp: String(T), digest: digest(signed), causes: []}]
  const keys = [{key: Buffer.from(SECRET), causes: []}]
  for (let size = 1; size <= Buffer.byteLength(inHand); size++) {
    const causes = await searchLongBody({claims, keys, otherKeys: []}, inPieces(inHand, size))
    expect(causes?.map(cause => cause.code)).toEqual([code])
  }
})

test('a run of line breaks without end is given up', async () => {
  const claims = [{timestamp: String(T), digest: digest('{}'), causes: []}]
  const keys = [{key: Buffer.from(SECRET), causes: []}]
  const inHand = `{}${'\n'.repeat(100_000)}`
  expect(await searchLongBody({claims, keys, otherKeys: []}, inPieces(inHand, 4096))).toBeUndefined()
})

const filler = `{"id":"evt_long","filler":"${'x'.repeat(MOST_KEPT_BYTES)}"}`

async function findingsOf(signed: string, inHand: string, secret: string, isReadable = true) {
  const body = () => inPieces(inHand, 65_536)
  const request: CapturedRequest = {
    format: 'raw',
    headers: {'x-service-signature': `t=${T},v1=${digest(signed, secret)}`},
    receivedAt: undefined,
    body: body(),
    afterwards: nothingAfterwards(),
  }
  const terms: CheckTerms = {
    inVain: {count: 0},
    secrets: [{name: 'file', secret: SECRET}],
    otherSecrets: () => [{name: 'whsub_other', secret: OTHER}],
    names: DEFAULT_HEADER_NAMES,
    now: () => T,
    toleranceSeconds: 300,
  }
  return (await check(request, terms, isReadable ? body : undefined)).result.findings
}

test('a body of more than 4 MiB is explained when it can be read again', async () => {
  expect(await findingsOf(filler, `${filler}\n`, SECRET)).toMatchObject([{code: 'body_trailing_newline'}])
  const [other] = await findingsOf(filler, filler, OTHER)
  expect(other?.explanation).toContain('whsub_other')
  const [altered] = await findingsOf(filler, filler.replace('xx', 'xy'), SECRET)
  expect(altered?.code).toBe('unexplained')
  expect(altered?.explanation).toContain('more than line breaks')
  const [unread] = await findingsOf(filler, `${filler}\n`, SECRET, false)
  expect(unread).toMatchObject({code: 'unexplained', fix: expect.stringContaining('standard input')})
})
