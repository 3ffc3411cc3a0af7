/** The paper of the voucher: the file, its fonts, what they can print, and TEST across every page. */
import {createRequire} from 'node:module'
import {openSync} from 'fontkit'
import PDFDocument from 'pdfkit'

export const MARGIN = 46
export const TEST_RED = '#b42318'

const FOOTER_HEIGHT = 34
const WATERMARK = {size: 210, opacity: 0.07, degrees: -38}

export interface Paper {
  /** A4, with fonts named `regular` and `bold`, and its first page open. */
  readonly doc: PDFKit.PDFDocument
  readonly printable: Printable
  /** The finished file, once `doc` has ended. */
  readonly whole: Promise<Uint8Array>
}

/** `issuedAt`, `title` and `author` go into the file's properties; equal input gives equal bytes. */
export function openPaper(properties: {title: string; author: string; issuedAt: Date}): Paper {
  const fonts = createRequire(import.meta.url)
  const regular = fonts.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')
  const bold = fonts.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf')
  const doc = new PDFDocument({
    size: 'A4',
    margins: {top: MARGIN, left: MARGIN, right: MARGIN, bottom: MARGIN + FOOTER_HEIGHT},
    bufferPages: true,
    lang: 'en',
    displayTitle: true,
    autoFirstPage: false,
    info: {
      Title: properties.title,
      Author: properties.author,
      Subject: 'TEST voucher of a local sandbox',
      CreationDate: properties.issuedAt,
    },
  })
  const chunks: Buffer[] = []
  const whole = new Promise<Uint8Array>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    doc.on('end', () => resolve(new Uint8Array(Buffer.concat(chunks))))
    doc.on('error', reject)
  })
  doc.registerFont('regular', regular)
  doc.registerFont('bold', bold)
  doc.addPage()
  return {doc, printable: printableWith(glyphTest([regular, bold])), whole}
}

/** Whether a character is in all of the fonts. */
function glyphTest(files: readonly string[]): (codePoint: number) => boolean {
  const fonts = files.map(file => openSync(file))
  return codePoint =>
    fonts.every(font => 'hasGlyphForCodePoint' in font && font.hasGlyphForCodePoint(codePoint))
}

/** TEST across the page the document is on; over the text, so that nothing on the page covers it. */
export function drawWatermark(doc: PDFKit.PDFDocument): void {
  const centre = {x: doc.page.width / 2, y: doc.page.height / 2}
  doc.save()
  doc.rotate(WATERMARK.degrees, {origin: [centre.x, centre.y]})
  doc.font('bold').fontSize(WATERMARK.size).fillColor(TEST_RED, WATERMARK.opacity)
  const left = centre.x - doc.widthOfString('TEST') / 2
  doc.text('TEST', left, centre.y - WATERMARK.size * 0.6, {lineBreak: false})
  doc.restore()
  doc.fillOpacity(1)
}

/** Stands for a character the font lacks. */
const REPLACEMENT = '\uFFFD'

export type Printable = (text: string) => string

/**
 * Makes texts printable with a font. Controls, line breaks and runs of space become one space; characters that show
 * nothing or change direction go; what the font lacks becomes U+FFFD, one for each character.
 */
export function printableWith(hasGlyph: (codePoint: number) => boolean): Printable {
  return text => {
    const spaced = text
      .normalize('NFC')
      .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
      .replace(/\p{Cf}|[\uFE00-\uFE0F]/gu, '')
    const known = Array.from(spaced.trim(), character => {
      return hasGlyph(character.codePointAt(0) ?? 0) ? character : REPLACEMENT
    })
    return known.join('')
  }
}
