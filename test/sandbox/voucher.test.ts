/** Voucher links: signed, for an hour, without Authorization (§2.6, §4.5). */
import {expect, test} from 'vitest'
import {refusalOf, sandboxForEachTest} from './each-sandbox.js'

const {sandbox, client} = sandboxForEachTest()

const reserve = async (mode: string) => (await client.book({payment: {mode}})).reservation_ref

async function link(): Promise<string> {
  const ref = await reserve('account')
  return (await client.get(`/reservations/${ref}/voucher`)).voucher.url
}

test('there is no voucher before the reservation is confirmed', async () => {
  const ref = await reserve('instant')
  expect(await refusalOf(client.call('GET', `/reservations/${ref}/voucher`))).toBe(
    '409 reservation_not_confirmed',
  )
  expect(await refusalOf(client.call('GET', '/reservations/RSV-NONE/voucher'))).toBe(
    '404 reservation_not_found',
  )
})

test('a link works for an hour, then it is gone', async () => {
  const url = await link()
  await sandbox.advance(3599)
  const pdf = await sandbox.sandbox.handle(new Request(url))
  expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  const bytes = Buffer.from(await pdf.arrayBuffer())
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
  expect(pdf.headers.get('content-length')).toBe(String(bytes.length))
  await sandbox.advance(1)
  const late = await sandbox.sandbox.handle(new Request(url))
  expect([late.status, late.headers.get('content-type')]).toEqual([
    410,
    expect.stringMatching(/^text\/plain/),
  ])
})

test('an altered link is refused, wherever it was altered', async () => {
  const url = await link()
  const token = url.slice(url.lastIndexOf('/') + 1)
  const dot = token.indexOf('.')
  const swap = (at: number) => token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
  const forged = Buffer.from(JSON.stringify(['RSV-0', 4_000_000_000])).toString('base64url')
  const wrong = [swap(3), swap(dot + 3), token.slice(0, dot), `${token}.x`, forged + token.slice(dot), 'x']
  for (const altered of wrong) {
    const answer = await sandbox.sandbox.handle(new Request(url.replace(token, altered)))
    expect([altered, answer.status]).toEqual([altered, 403])
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
  }
})
