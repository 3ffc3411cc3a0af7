/** Reads a PDF back with a library that has no part in making it: pages with runs of space made one, fonts of the first. */
import {getDocument} from 'pdfjs-dist/legacy/build/pdf.mjs'

export async function readPdf(bytes: Uint8Array) {
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
