/** The layout of the voucher: titles, panels, tables and paragraphs one beneath the other, on new pages when one is full. */
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

export interface Field {
  readonly label: string
  readonly value: string
  /** Share of the width (default 1). */
  readonly share?: number
}

export interface Column {
  readonly label: string
  readonly share: number
}

interface TextStyle {
  readonly size?: number
  readonly bold?: boolean
  readonly color?: string
}

export class Sheet {
  private readonly paper: Paper
  private readonly doc: Paper['doc']

  /** `issuedAt` and `title` go into the file's properties; equal input gives equal bytes. */
  constructor(properties: {title: string; author: string; issuedAt: Date}) {
    this.paper = openPaper(properties)
    this.doc = this.paper.doc
  }

  /** Title at the left, and a badge that says TEST. */
  title(text: string, under: string): void {
    const {doc} = this
    const badge = 132
    this.write(text, MARGIN, doc.y, {size: 23, bold: true, width: this.width - badge})
    const top = MARGIN + 2
    doc
      .roundedRect(MARGIN + this.width - badge + 10, top, badge - 10, 26, 4)
      .lineWidth(1.2)
      .stroke(TEST_RED)
    this.write('TEST – not valid', MARGIN + this.width - badge + 10, top + 7.5, {
      size: 9.5,
      bold: true,
      color: TEST_RED,
      width: badge - 10,
      align: 'center',
    })
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
    const {doc} = this
    const padding = 10
    const cells = this.cells(fields.map(field => field.share ?? 1))
    const style = {size: 10.5, bold: true}
    const heights = fields.map((field, index) =>
      this.height(field.value, {...style, width: cellWidth(cells[index])}),
    )
    const height = Math.max(...heights) + 2 * padding + 12
    this.keep(height)
    const top = doc.y
    doc.roundedRect(MARGIN, top, this.width, height, 4).fill(PANEL)
    fields.forEach((field, index) => {
      const cell = cells[index] ?? {x: MARGIN, width: this.width}
      const place = {x: cell.x + padding, width: cellWidth(cell)}
      this.write(field.label, place.x, top + padding - 1, {...LABELS, width: place.width})
      this.write(field.value, place.x, top + padding + 11, {...style, width: place.width})
    })
    doc.y = top + height + 10
  }

  table(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
    const cells = this.cells(columns.map(column => column.share))
    const labels = columns.map(column => column.label)
    this.row(labels, cells, LABELS)
    for (const [index, row] of rows.entries()) {
      if (this.rowHeight(row, cells) > this.left) {
        this.doc.addPage()
        this.row(labels, cells, LABELS)
      }
      this.row(row, cells, {size: BODY_SIZE})
      if (index < rows.length - 1) this.rule(LINE, 0.4)
      this.doc.y += 3
    }
    this.doc.y += 5
  }

  paragraph(text: string, style: TextStyle & {after?: number} = {}): void {
    const drawn = {size: BODY_SIZE, ...style, width: this.width}
    this.keep(Math.min(this.height(text, drawn), 60))
    this.write(text, MARGIN, this.doc.y, drawn)
    this.doc.y += style.after ?? 4
  }

  /** Adds the watermarks and footers, and gives the finished file. */
  finish(footer: string): Promise<Uint8Array> {
    const {doc} = this
    const {start, count} = doc.bufferedPageRange()
    for (let page = start; page < start + count; page += 1) {
      doc.switchToPage(page)
      // Below the bottom margin pdfkit would start a new page.
      doc.page.margins.bottom = 0
      drawWatermark(doc)
      const y = doc.page.height - MARGIN - 8
      doc
        .moveTo(MARGIN, y - 6)
        .lineTo(MARGIN + this.width, y - 6)
        .lineWidth(0.5)
        .stroke(LINE)
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

  /** What is left of the page above the footer. */
  private get left(): number {
    return this.doc.page.height - this.doc.page.margins.bottom - this.doc.y
  }

  /** Starts a new page if `height` does not fit on this one. */
  private keep(height: number): void {
    if (height > this.left) this.doc.addPage()
  }

  private cells(shares: readonly number[]): {x: number; width: number}[] {
    const sum = shares.reduce((total, share) => total + share, 0)
    let x = MARGIN
    return shares.map(share => {
      const cell = {x, width: (this.width * share) / sum}
      x += cell.width
      return cell
    })
  }

  private row(
    values: readonly string[],
    cells: readonly {x: number; width: number}[],
    style: TextStyle,
  ): void {
    const top = this.doc.y
    let bottom = top
    for (const [index, value] of values.entries()) {
      const cell = cells[index]
      if (!cell) continue
      this.write(value, cell.x, top, {...style, width: cell.width - 10})
      bottom = Math.max(bottom, this.doc.y)
    }
    this.doc.y = bottom + 3
  }

  private rowHeight(values: readonly string[], cells: readonly {width: number}[]): number {
    const heights = values.map((value, index) =>
      this.height(value, {size: BODY_SIZE, width: (cells[index]?.width ?? this.width) - 10}),
    )
    return Math.max(...heights) + 6
  }

  private rule(color: string, thickness: number): void {
    const {doc} = this
    doc
      .moveTo(MARGIN, doc.y)
      .lineTo(MARGIN + this.width, doc.y)
      .lineWidth(thickness)
      .stroke(color)
  }

  private height(text: string, style: TextStyle & {width: number}): number {
    this.choose(style)
    return this.doc.heightOfString(this.drawable(text), {width: style.width})
  }

  private write(text: string, x: number, y: number, style: TextStyle & PDFKit.Mixins.TextOptions): void {
    this.choose(style)
    const {size: _size, bold: _bold, color, ...options} = style
    this.doc.fillColor(color ?? INK).text(this.drawable(text), x, y, options)
  }

  /** A row must fit on one page; and to wrap one endless word takes time and memory with the square of its length. */
  private drawable(text: string): string {
    const characters = Array.from(text)
    const short = characters.length > MAX_TEXT ? `${characters.slice(0, MAX_TEXT).join('')}…` : text
    return this.paper.printable(short) || ' '
  }

  private choose({size, bold}: TextStyle): void {
    this.doc.font(bold ? 'bold' : 'regular').fontSize(size ?? BODY_SIZE)
  }
}

function cellWidth(cell: {width: number} | undefined): number {
  return (cell?.width ?? 0) - 20
}
