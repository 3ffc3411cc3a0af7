/**
 * Vouchers: links are signed, valid for an hour and need no Authorization (§2.6, §4.5). The PDF contains the facts, hides the
 * identity, and withstands hostile text.
 */

import {getDocument} from 'pdfjs-dist/legacy/build/pdf.mjs'
import {describe, expect, it} from 'vitest'
import type {Reservation} from '../../../src/contract/reservations.js'
import {maskIdentity} from '../../../src/sandbox/base/wording.js'
import {renderVoucher} from '../../../src/sandbox/voucher/content.js'
import {startSandbox, TEST_START} from '../../support/sandbox.js'
import {refusalOf, sandboxForEachTest} from '../each-sandbox.js'
import {guest, reservationRecord} from '../reservation-record.js'

const HOTEL = {
  ...reservationRecord().hotel,
  description: '',
  phone: '+90 850 123 4567',
  check_in_from: '14:00',
  check_out_until: '12:00',
  timezone: 'Europe/Istanbul',
  facilities: [],
}

const EXTRA = {hotel: HOTEL, partnerName: 'Example Travel', issuedAt: '2030-05-01T09:05:00Z'}

const render = (changes: Partial<Reservation> = {}) => renderVoucher(reservationRecord(changes), EXTRA)
const read = async (changes: Partial<Reservation> = {}) => readPdf(await render(changes))
const named = (name: string, surname = 'Example') => read({guests: [guest({name, surname, is_lead: true})]})

/** Splits facts that are separated by `|` or line breaks. */
const factsIn = (text: string) => text.trim().split(/\s*[|\n]\s*/)

describe('a voucher', () => {
  it('says on one page everything a guest and a reception need', async () => {
    const {pages, text} = await read()
    expect(pages).toHaveLength(1)
    const facts = `
      Hotel voucher | Issued by Example Travel on 1 May 2030, 09:05 UTC | RSV-7K3M9QX2AB | PARTNER-2030-0042
      H-558201 | Şadırvan Konağı | ★★★★ 4 stars | Divan Yolu Caddesi No: 12, Fatih, Istanbul, Türkiye
      +90 850 123 4567 | Sat, 1 June 2030, from 14:00 | Tue, 4 June 2030, until 12:00 | 3 nights
      1. Superior Room | 2. Standard Room | Bed and breakfast (BB) | 2 adults, 1 child (7 years) | 5 guests
      Adult, lead guest | Contact: Ayşe Öğüt | 1730.08 EUR in total | from the travel partner's account
      Due at the hotel: 576.00 TRY | Europe/Istanbul | 27 May 2030, 18:00 (UTC+03:00) | 27 May 2030, 15:00 UTC
      free of charge | 280.32 EUR | 1730.08 EUR (the whole price)
      The hotel asks each adult for an identity document. | How to read this voucher
    `
    expect(factsIn(facts).filter(fact => !text.includes(fact))).toEqual([])
  })

  it('names each of 40 guests once, on pages that are each marked TEST, across and at the foot', async () => {
    const guests = Array.from({length: 80}, (_, index) =>
      guest({name: `Guest${index}x`, is_lead: index === 0}),
    )
    const {pages, text} = await read({guests})
    expect(pages.length).toBeGreaterThan(1)
    for (const name of ['lead guest', ...guests.map(each => each.name)])
      expect(text.split(name)).toHaveLength(2)
    pages.forEach((page, index) => {
      expect(page).toContain(`TEST voucher · Reservation RSV-7K3M9QX2AB`)
      expect(page.replace(/TEST voucher|TEST – not valid|TEST means/g, '')).toContain('TEST')
      expect(page).toContain(`Page ${index + 1} of ${pages.length}`)
    })
  })

  it.each([
    ['Turkish', 'Ayşe Öğüt ığİ'],
    ['Greek', 'Γιώργος Παπαδόπουλος'],
    ['Vietnamese', 'Nguyễn Thị Hường'],
    ['letters that fonts like to join', 'Affleck Filip Flora'],
  ])('keeps %s letters readable and searchable', async (_, name) => {
    const {text} = await named(name)
    expect(text).toContain(`${name} Example`)
    expect(text).not.toContain('\uFFFD')
  })

  it.each([
    ['Chinese', '王小明', '[WangXiaoMing] Example'],
    ['Japanese', 'やまだ タロウ', '[Yamada Tarou] Example'],
    ['Thai', 'สมชาย ใจดี', '[Smchay Aichdi] Example'],
    ['Hindi', 'राम कुमार', '[Ram Kumar] Example'],
    ['Chinese beside Latin', 'Ayşe 王', 'Ayşe [Wang] Example'],
    ['emoji', 'Can👩\u200d👧😀', 'Can[:woman::girl::grinning:] Example'],
    ['letters that no table knows', 'A\ue000\ufffd', 'A[U+E000?] Example'],
  ])('writes %s in Latin letters beside what the font has', async (_, name, expected) => {
    const {text} = await named(name)
    expect(text).toContain(expected)
    expect(text).not.toContain('\uFFFD')
  })

  it.each([
    ['محمد', 'عمر حسين'],
    ['علی\u200cرضا', 'حسینی'],
    ['דוד', 'כהן לוי'],
    ['محمد (عمر)', 'بن-سعيد'],
  ])('keeps %s %s in the order in which it is read', async (name, surname) => {
    const {text} = await named(name, surname)
    // A PDF reader returns brackets unmirrored, and no joiners.
    const [first = '', last = ''] = [name, surname].map(each => each.replace('\u200c', ' '))
    expect(text).toContain(first.replace('(عمر)', ')عمر('))
    expect(text).toContain(last)
    expect(text).not.toMatch(/[\ufffd[]/)
  })

  it('transliterates the texts of hotel, rooms, fees, contact, remarks and partner', async () => {
    const {hotel, rooms, price, contact} = reservationRecord()
    const changes = {
      hotel: {...hotel, name: '北京饭店', address: 'ถนน 5', city: {...hotel.city, name: '東京'}},
      rooms: rooms.map(room => ({...room, room_name: 'कमरा'})),
      price: {...price, due_at_property: [{amount: '1.00', currency: 'EUR', description: '城市税'}]},
      contact: {...contact, name: '明', surname: '王'},
      remarks: '입실 14:00',
    } as Partial<Reservation>
    const extra = {...EXTRA, partnerName: '旅行社'}
    const {text} = await readPdf(await renderVoucher(reservationRecord(changes), extra))
    const facts = `Issued by [LuXingShe] | [BeiJingFanDian] | [Thnn] 5 | [DongJing] | 1. [Kmra] | – [ChengShiShui] | [Ming Wang]
      14:00`
    expect(factsIn(facts).filter(fact => !text.includes(fact))).toEqual([])
    expect(text).not.toContain('\uFFFD')
  })

  it.each([
    ['controls and line breaks', 'Ev\u0000il\r\nName', 'Ev il Name'],
    ['characters that turn the text round', '\u202EliveName\u2066', 'liveName'],
    ['half a character', 'Name\uD83D', 'Name'],
  ])('takes %s out', async (_, name, expected) => {
    const {text} = await named(name)
    expect(text).toContain(expected)
    expect(text).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/)
  })

  it('wraps long names and remarks', async () => {
    const solid = await named('ж'.repeat(200))
    expect([solid.text.match(/ж/g)?.length, solid.pages.length]).toEqual([200, 1])
    expect((await named('Abcdefghi '.repeat(20).trim())).text).toContain('Example')
    const endless = guest({name: 'N'.repeat(20_000), surname: 'S'.repeat(20_000), is_lead: true})
    const {pages, text} = await read({guests: [endless], remarks: 'remark '.repeat(3000)})
    expect(pages.length).toBeLessThan(8)
    expect(text).toContain('How to read this voucher')
  })

  it('wraps long right-to-left texts, and words longer than a line', async () => {
    const remarks = 'ننصح بالوصول قبل الساعة 18:00 Superior '.repeat(40)
    const {pages, text} = await read({remarks, guests: [guest({name: 'ب'.repeat(20_000), is_lead: true})]})
    expect(pages.length).toBeLessThan(4)
    expect(text.match(/ب/g)?.length).toBeGreaterThan(500)
    expect(text).toContain('How to read this voucher')
  })

  const endless = 'ж'.repeat(2000)
  it.each([
    ['contact', {contact: {...reservationRecord().contact, name: endless}}],
    ['guest', {guests: [guest({name: endless, is_lead: true})]}],
  ])('cuts an endless word of the %s before it is wrapped', async (_, change) => {
    const {text} = await read(change)
    const shown = text.match(/ж/g)?.length ?? 0
    expect(shown).toBeGreaterThan(500)
    expect(shown).toBeLessThanOrEqual(600)
  })

  it('shows no more than the last two characters of an identity number', async () => {
    const {text} = await read()
    for (const shown of ['TC •••••••••46', 'PASSPORT •••••••78']) expect(text).toContain(shown)
    for (const hidden of ['0000146', '345678']) expect(text).not.toContain(hidden)
  })

  it('says that nothing is due at the hotel, and that there is no confirmation number yet', async () => {
    const {price} = reservationRecord()
    const {text} = await read({price: {...price, due_at_property: []}, hotel_confirmation_number: null})
    expect(text).toContain('Nothing is due at the hotel.')
    expect(text).toContain('none yet')
  })

  it('promises no free cancellation when the first fee held from the start', async () => {
    const steps = [{from: '2030-05-01T12:00:00+03:00', amount: '1730.08', currency: 'EUR'}]
    const {text} = await read({cancellation_policies: steps})
    expect(text).not.toContain('free of charge')
    expect(text).toContain('1 May 2030, 09:00 UTC')
  })

  it('is a PDF with its fonts inside, of a modest size', async () => {
    const bytes = await render()
    expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('%PDF-')
    expect(Buffer.from(bytes).toString('latin1')).toContain('/FontFile2')
    expect(bytes.byteLength).toBeLessThan(100_000)
    const {fonts, info} = await readPdf(bytes)
    expect(fonts.every(name => name.includes('DejaVuSansCondensed'))).toBe(true)
    expect(info).toMatchObject({Title: 'Voucher RSV-7K3M9QX2AB', CreationDate: 'D:20300501090500Z'})
  })
})

describe('masking an identity number', () => {
  it.each([
    ['10000000146', '•••••••••46'],
    ['ABC', '•BC'],
    ['AB', '••'],
    ['7', '•'],
    ['', ''],
    ['9'.repeat(40), `${'•'.repeat(12)}99`],
  ])('of %j shows %j', (number, shown) => {
    expect(maskIdentity(number)).toBe(shown)
  })
})

describe('a link', () => {
  const {sandbox, client} = sandboxForEachTest()

  const reserve = async (mode: string) => (await client.book({payment: {mode}})).reservation_ref

  async function link(): Promise<string> {
    const ref = await reserve('account')
    return (await client.get(`/reservations/${ref}/voucher`)).voucher.url
  }

  it('there is no voucher before the reservation is confirmed', async () => {
    const ref = await reserve('instant')
    expect(await refusalOf(client.call('GET', `/reservations/${ref}/voucher`))).toBe(
      '409 reservation_not_confirmed',
    )
    expect(await refusalOf(client.call('GET', '/reservations/RSV-NONE/voucher'))).toBe(
      '404 reservation_not_found',
    )
  })

  it('a link is valid for an hour', async () => {
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

  it('an altered link is refused, wherever it was altered', async () => {
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

  it('leads to a voucher with the hours and the telephone number, even for a hotel that only a large number of offers has', async () => {
    await sandbox.close()
    Object.assign(sandbox, await startSandbox({inProcess: true, offers: 200}))
    Object.assign(client, await sandbox.client())
    const last = (await client.search()).at(-1)
    const {reservation_ref} = (await client.convert(last)).json.data
    const hotel = await client.get(`/hotels/${last.hotel.hotel_id}`)
    const path = `/reservations/${reservation_ref}`
    const {url} = (await client.get(`${path}/voucher`)).voucher
    const pdf = await sandbox.sandbox.handle(new Request(url))
    const {text} = await readPdf(new Uint8Array(await pdf.arrayBuffer()))
    for (const fact of [hotel.phone, `from ${hotel.check_in_from}`, `until ${hotel.check_out_until}`]) {
      expect(text).toContain(fact)
    }

    await sandbox.advance(Date.parse(`2030-07-10T${hotel.check_in_from}:00+03:00`) / 1000 - TEST_START)
    const late = await sandbox.client()
    expect(await refusalOf(late.call('GET', `${path}/cancellation-quote`))).toBe('409 not_cancellable')
    expect(await refusalOf(late.call('PATCH', path, {contact: {name: 'X'}}))).toBe('409 not_updatable')
  })
})

/**
 * Reads a PDF with another library than the one that wrote it. Returns the pages with runs of spaces joined, and the fonts of the
 * first page.
 */
async function readPdf(bytes: Uint8Array) {
  const loading = getDocument({
    data: new Uint8Array(bytes),
    verbosity: 0,
    useSystemFonts: false,
    disableFontFace: true,
  })
  const document = await loading.promise
  const pages: string[] = []
  const fonts = new Set<string>()
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    await page.getOperatorList()
    const {items} = await page.getTextContent()
    const runs = items.filter(item => 'str' in item)
    pages.push(
      runs
        .map(({str, hasEOL}) => str + (hasEOL ? '\n' : ''))
        .join('')
        .replace(/\s+/g, ' '),
    )
    for (const {fontName} of runs) fonts.add(nameOf(page.commonObjs, fontName))
  }
  const {info} = await document.getMetadata()
  await loading.destroy()
  return {pages, text: pages.join(' '), info: info as Record<string, unknown>, fonts: [...fonts]}
}

function nameOf(objects: {has(id: string): boolean; get(id: string): unknown}, id: string): string {
  return objects.has(id) ? (objects.get(id) as {name: string}).name : id
}
