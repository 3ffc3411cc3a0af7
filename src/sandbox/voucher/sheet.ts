/** The layout of the voucher: titles, panels, tables and paragraphs one below the other, on new pages when one is full. */
import {drawWatermark, MARGIN, openPaper, type Paper, TEST_RED} from './paper.js'

const INK = '#1b2430'
export const SOFT = '#667085'
const LINE = '#d4d9e1'
const PANEL = '#f3f5f8'
const ACCENT = '#14539a'
/** Characters of one paragraph, of one cell of a table, or of one value of a panel. */
const MAX_TEXT = 600
const BODY_SIZE = 9.2
const LABELS = {size: 7.5, color: SOFT}
const VALUES = {size: 10.5, bold: true}
const BADGE_WIDTH = 122

interface Column {
  readonly label: string
  /** Share of the width (default 1). */
  readonly share?: number
}

interface Field extends Column {
  readonly value: string
}

interface Cell {
  readonly x: number
  readonly width: number
}

interface TextStyle {
  readonly size?: number
  readonly bold?: boolean
  readonly color?: string
}

export class Sheet {
  private readonly paper: Paper
  private readonly doc: Paper['doc']

  /** As `openPaper`. */
  constructor(properties: Parameters<typeof openPaper>[0]) {
    this.paper = openPaper(properties)
    this.doc = this.paper.doc
  }

  /** Title at the left, and a badge that says TEST. */
  title(text: string, under: string): void {
    const {doc} = this
    const left = MARGIN + this.width - BADGE_WIDTH
    this.write(text, MARGIN, doc.y, {size: 23, bold: true, width: this.width - BADGE_WIDTH - 10})
    doc
      .roundedRect(left, MARGIN + 2, BADGE_WIDTH, 26, 4)
      .lineWidth(1.2)
      .stroke(TEST_RED)
    const badge = {size: 9.5, bold: true, color: TEST_RED, width: BADGE_WIDTH, align: 'center'} as const
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
    this.doc.y += 6
  }

  /** Labels with values beneath, side by side, on a panel. */
  panel(fields: readonly Field[]): void {
    const padding = 10
    const cells = this.cells(fields).map(({x, width}) => ({x: x + padding, width: width - 2 * padding}))
    const values = fields.map(field => field.value)
    const height = this.rowHeight(values, cells, VALUES) + 2 * padding + 12
    this.keep(height)
    const top = this.doc.y
    this.doc.roundedRect(MARGIN, top, this.width, height, 4).fill(PANEL)
    this.doc.y = top + padding - 1
    this.row(
      fields.map(field => field.label),
      cells,
      LABELS,
    )
    this.doc.y = top + padding + 11
    this.row(values, cells, VALUES)
    this.doc.y = top + height + 10
  }

  table(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
    const cells = this.cells(columns).map(({x, width}) => ({x, width: width - 10}))
    const labels = columns.map(column => column.label)
    this.row(labels, cells, LABELS)
    for (const [index, row] of rows.entries()) {
      if (this.rowHeight(row, cells, {}) + 6 > this.left) {
        this.doc.addPage()
        this.row(labels, cells, LABELS)
      }
      this.row(row, cells, {})
      if (index < rows.length - 1) this.rule(LINE, 0.4)
      this.doc.y += 3
    }
    this.doc.y += 5
  }

  paragraph(text: string, style: TextStyle & {after?: number} = {}): void {
    const {after = 4, ...drawn} = {...style, width: this.width}
    this.keep(Math.min(this.height(text, drawn), 60))
    this.write(text, MARGIN, this.doc.y, drawn)
    this.doc.y += after
  }

  /** Adds the watermarks and footers, and returns the finished file. */
  finish(footer: string): Promise<Uint8Array> {
    const {doc} = this
    const {start, count} = doc.bufferedPageRange()
    for (let page = start; page < start + count; page += 1) {
      doc.switchToPage(page)
      // Below the bottom margin pdfkit would start a new page.
      doc.page.margins.bottom = 0
      drawWatermark(doc)
      const y = doc.page.height - MARGIN - 8
      doc.y = y - 6
      this.rule(LINE, 0.5)
      const style = {size: 7.2, color: SOFT, width: this.width, lineBreak: false}
      this.write(footer, MARGIN, y, style)
      this.write(`Page ${page - start + 1} of ${count}`, MARGIN, y, {...style, align: 'right'})
    }
    doc.end()
    return this.paper.whole
  }

  private get width(): number {
    return this.doc.page.width - 2 * MARGIN
  }

  /** The height left on the page above the footer. */
  private get left(): number {
    return this.doc.page.height - this.doc.page.margins.bottom - this.doc.y
  }

  /** Starts a new page if `height` does not fit on this one. */
  private keep(height: number): void {
    if (height > this.left) this.doc.addPage()
  }

  private cells(columns: readonly Column[]): Cell[] {
    const sum = columns.reduce((total, {share = 1}) => total + share, 0)
    let x = MARGIN
    return columns.map(({share = 1}) => {
      const cell = {x, width: (this.width * share) / sum}
      x += cell.width
      return cell
    })
  }

  /** A value in each cell, and the place below the highest of them. */
  private row(values: readonly string[], cells: readonly Cell[], style: TextStyle): void {
    const top = this.doc.y
    const bottoms = cells.map(({x, width}, index) => {
      this.write(values[index] ?? '', x, top, {...style, width})
      return this.doc.y
    })
    this.doc.y = Math.max(...bottoms) + 3
  }

  private rowHeight(values: readonly string[], cells: readonly Cell[], style: TextStyle): number {
    return Math.max(...cells.map(({width}, index) => this.height(values[index] ?? '', {...style, width})))
  }

  private rule(color: string, thickness: number): void {
    const {y} = this.doc
    const right = MARGIN + this.width
    this.doc.moveTo(MARGIN, y).lineTo(right, y).lineWidth(thickness).stroke(color)
  }

  private height(text: string, {size, bold, width}: TextStyle & {width: number}): number {
    this.choose({size, bold})
    return this.doc.heightOfString(this.drawable(text), {width})
  }

  private write(text: string, x: number, y: number, style: TextStyle & PDFKit.Mixins.TextOptions): void {
    const {size, bold, color = INK, ...options} = style
    this.choose({size, bold})
    this.doc.fillColor(color).text(this.drawable(text), x, y, options)
  }

  /** A row must fit on one page, and the time and memory to wrap an endless word grow with the square of its length. */
  private drawable(text: string): string {
    const characters = Array.from(text)
    const short = characters.length > MAX_TEXT ? `${characters.slice(0, MAX_TEXT).join('')}…` : text
    return this.paper.printable(short) || ' '
  }

  private choose({size = BODY_SIZE, bold}: {size: number | undefined; bold: boolean | undefined}): void {
    this.doc.font(bold ? 'bold' : 'regular').fontSize(size)
  }
}
