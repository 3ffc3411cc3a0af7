/** Lays out the voucher as a PDF: titles, tables and paragraphs from top to bottom, with TEST across every page. */
import {createRequire} from 'node:module'
import {buffer} from 'node:stream/consumers'
import {openSync} from 'fontkit'
import PDFDocument from 'pdfkit'
import {inLettersOf, linesOnPaper} from './letters.js'

export const SOFT = '#667085'
const INK = '#1b2430'
const LINE = '#d4d9e1'
const ACCENT = '#14539a'
const TEST_RED = '#b42318'
const MARGIN = 46
const FOOTER_HEIGHT = 34
const BODY_SIZE = 9.2
const SUBJECT = 'TEST voucher of a local sandbox'
const WATERMARK_SIZE = 210
/**
 * Maximum number of characters in a paragraph or cell. A row must fit on a page, and the time to wrap a long word grows
 * with the square of its length.
 */
const MOST_TEXT = 600

const {resolve} = createRequire(import.meta.url)
const REGULAR = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')
const BOLD = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf')

interface TextStyle extends PDFKit.Mixins.TextOptions {
  readonly size?: number
  readonly bold?: boolean
  readonly color?: string
}

export class Sheet {
  private readonly doc: PDFKit.PDFDocument
  /** Whether any text so far was transliterated because the font lacks a letter. */
  isTransliterated = false
  private readonly fonts = [REGULAR, BOLD].map(file => openSync(file))

  /** The arguments become properties of the PDF. The same arguments give the same bytes. */
  constructor({title, author, issuedAt}: {title: string; author: string; issuedAt: Date}) {
    this.doc = new PDFDocument({
      size: 'A4',
      margins: {top: MARGIN, left: MARGIN, right: MARGIN, bottom: MARGIN + FOOTER_HEIGHT},
      bufferPages: true,
      lang: 'en',
      displayTitle: true,
      info: {Title: title, Author: author, Subject: SUBJECT, CreationDate: issuedAt},
    })
  }

  /** Writes a title on the left, and a TEST badge on the right. */
  title(text: string, under: string): void {
    const {doc} = this
    const badge = {size: 9.5, bold: true, color: TEST_RED, width: 122, align: 'center'} as const
    const left = MARGIN + this.width - badge.width
    this.write(text, MARGIN, doc.y, {size: 23, bold: true, width: this.width - badge.width - 10})
    doc.roundedRect(left, MARGIN + 2, badge.width, 26, 4)
    doc.lineWidth(1.2).stroke(TEST_RED)
    this.write('TEST – not valid', left, MARGIN + 9.5, badge)
    doc.y = MARGIN + 32
    this.paragraph(under, {color: SOFT, after: 8})
    this.rule(ACCENT, 1.6)
    doc.y += 12
  }

  section(text: string): void {
    this.keep(58)
    this.doc.y += 4
    this.paragraph(text, {size: 10.5, bold: true, color: ACCENT, after: 3})
    this.rule(LINE, 0.7)
    this.doc.y += 4
  }

  /**
   * Writes a table. `columns` has, for each column label, its share of the width. With `isPanel`, values are larger and
   * on a coloured background.
   */
  table(columns: Readonly<Record<string, number>>, rows: readonly string[][], isPanel = false): void {
    const shares = Object.values(columns)
    const sum = shares.reduce((total, share) => total + share, 0)
    const widths = shares.map(share => (this.width * share) / sum)
    const value = isPanel ? {size: 10.5, bold: true} : {size: BODY_SIZE, bold: false}
    const right = 10
    const left = isPanel ? 10 : 0
    const font = {src: isPanel ? BOLD : REGULAR, size: value.size}
    this.keep(58)
    this.choose(value)
    const cell = (text: string, index: number) => {
      const room = (widths[index] ?? 0) - left - right
      return {text: this.drawable(text, room), textColor: INK, font}
    }
    const data = rows.map(row => row.map(cell))
    const labels = Object.keys(columns).map(text => ({text, textColor: SOFT, font: {size: 7.5}}))
    this.doc.font(REGULAR).fontSize(BODY_SIZE)
    this.doc.table({
      columnStyles: widths,
      rowStyles: {
        padding: isPanel ? [6, right, 6, left] : [3, right, 3, left],
        border: [0, 0, isPanel ? 0 : 0.4, 0],
        borderColor: LINE,
        ...(isPanel && {backgroundColor: '#f3f5f8'}),
      },
      data: [labels, ...data],
    })
    this.doc.y += isPanel ? 10 : 6
  }

  paragraph(text: string, {after = 4, ...style}: TextStyle & {after?: number} = {}): void {
    this.choose(style)
    const {width} = this
    this.keep(Math.min(this.doc.heightOfString(this.drawable(text, width), {width}), 60))
    this.write(text, MARGIN, this.doc.y, {...style, width: this.width})
    this.doc.y += after
  }

  finish(footer: string): Promise<Uint8Array> {
    const {doc} = this
    const {start, count} = doc.bufferedPageRange()
    for (let page = start; page < start + count; page += 1) {
      doc.switchToPage(page)
      // Without this, pdfkit would start a new page for text below the bottom margin.
      doc.page.margins.bottom = 0
      this.watermark()
      const y = doc.page.height - MARGIN - 8
      doc.y = y - 6
      this.rule(LINE, 0.5)
      const style = {size: 7.2, color: SOFT, width: this.width, lineBreak: false}
      this.write(footer, MARGIN, y, style)
      this.write(`Page ${page - start + 1} of ${count}`, MARGIN, y, {...style, align: 'right'})
    }
    doc.end()
    return buffer(doc)
  }

  /** Draws TEST across the page, on top of the text, so that nothing covers it. */
  private watermark(): void {
    const {doc} = this
    const x = doc.page.width / 2
    const y = doc.page.height / 2
    doc.save().rotate(-38, {origin: [x, y]})
    doc.font(BOLD).fontSize(WATERMARK_SIZE).fillColor(TEST_RED, 0.07)
    doc.text('TEST', x - doc.widthOfString('TEST') / 2, y - WATERMARK_SIZE * 0.6, {lineBreak: false})
    doc.restore().fillOpacity(1)
  }

  private get width(): number {
    return this.doc.page.width - 2 * MARGIN
  }

  private keep(height: number): void {
    if (this.doc.y + height > this.doc.page.maxY()) this.doc.addPage()
  }

  private rule(color: string, thickness: number): void {
    const {y} = this.doc
    const right = MARGIN + this.width
    this.doc.moveTo(MARGIN, y).lineTo(right, y).lineWidth(thickness).stroke(color)
  }

  private write(text: string, x: number, y: number, {size, bold, color, ...options}: TextStyle): void {
    this.choose({size, bold})
    this.doc.fillColor(color ?? INK).text(this.drawable(text, options.width), x, y, options)
    this.doc.x = MARGIN
  }

  /**
   * Returns `text` in letters that both fonts have. Right-to-left text is broken into lines of `width`, measured in the
   * current font.
   */
  private drawable(text: string, width = this.width): string {
    const {text: written, isTransliterated} = inLettersOf(this.hasGlyph, cut(text))
    this.isTransliterated ||= isTransliterated
    const shown = cut(written)
    // The lines are slightly narrower than the page. pdfkit adds up the widths of words and could otherwise wrap a line
    // again.
    return linesOnPaper(shown, width - 2, line => this.doc.widthOfString(line)).join('\n') || ' '
  }

  private readonly hasGlyph = (codePoint: number): boolean =>
    this.fonts.every(font => 'hasGlyphForCodePoint' in font && font.hasGlyphForCodePoint(codePoint))

  private choose({size = BODY_SIZE, bold}: {size?: number | undefined; bold?: boolean | undefined}): void {
    this.doc.font(bold ? BOLD : REGULAR).fontSize(size)
  }
}

function cut(text: string): string {
  const characters = Array.from(text)
  return characters.length > MOST_TEXT ? `${characters.slice(0, MOST_TEXT).join('')}…` : text
}
