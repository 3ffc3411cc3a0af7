/**
 * The sheet as a signed page: one self-contained HTML file without scripts. The signature is a comment after the page, over every
 * byte before it, with LF as the end of each line.
 */
import {createHash, createPublicKey, type KeyObject, sign, verify} from 'node:crypto'
import {
  type CertifySheet,
  countsText,
  nameOf,
  partsOf,
  type SheetRule,
  unseenText,
} from '../../../contract/certificate.js'
import {escaped} from './junit.js'
import {publicText} from './signing-key.js'

/**
 * What the sandbox says about the evidence: its digest, the number of deliveries, and the first and last time on the
 * sandbox's clock.
 */
export interface Proof {
  readonly digest: string
  readonly deliveries: number
  readonly first_at: string | null
  readonly last_at: string | null
}

export interface SheetFacts {
  /** Name and version of the program that was judged. */
  readonly program: string
  /** The version of bookctl. */
  readonly version: string
  /** When the page was made, in real time, as ISO 8601. */
  readonly madeAt: string
  readonly proof: Proof
}

const STYLE = `:root{color-scheme:light}body{font:15px/1.45 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#111}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #ccc}th{white-space:nowrap;font-weight:600}
code{font:.85em ui-monospace,monospace;overflow-wrap:anywhere}.bad{color:#a00}.good{color:#060}.small{font-size:.85rem;color:#444}
@page{margin:18mm}@media print{body{margin:0;max-width:none;font-size:10.5pt}tr{break-inside:avoid}h2{break-after:avoid}}`

/** Maximum number of pieces of evidence that are printed for a rule. */
const MOST_PRINTED = 20

/** Returns the page with its signature. */
export function signedSheet(sheet: CertifySheet, facts: SheetFacts, key: KeyObject): string {
  const page = withPlainLineEnds(pageOf(sheet, facts, fingerprintOf(publicText(key))))
  const signature = sign(null, Buffer.from(page), key).toString('base64')
  return `${page}<!-- bookctl-signature ${publicText(key)} ${signature} -->\n`
}

function pageOf(
  sheet: CertifySheet,
  {program, version, madeAt, proof}: SheetFacts,
  fingerprint: string,
): string {
  const {client_id, since, requests} = sheet
  const {broken, advised, passed, unseen} = partsOf(sheet)
  const some = broken.length === 1 ? '1 required rule failed' : `${broken.length} required rules failed`
  const verdict = broken.length > 0 ? some : 'No required rule failed'
  const seen = proof.first_at === null ? 'nothing' : `${proof.first_at} to ${proof.last_at}`
  const rows: readonly (readonly [string, string])[] = [
    ['Program', program],
    ['Client', client_id],
    ['Judged', `${requests} requests and ${proof.deliveries} deliveries of events`],
    ['Time (sandbox)', since === null ? seen : `${seen} (since ${since})`],
    ['Made', madeAt],
    ['Judged by', `bookctl ${version}, Node.js ${process.versions.node}`],
    ['Evidence', proof.digest],
    ['Key', fingerprint],
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(`${program}: ${verdict}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(program)}</h1>
<p class="${broken.length > 0 ? 'bad' : 'good'}"><strong>${escaped(verdict)}</strong>: ${countsText(sheet)}.</p>
<table>
${rows.map(([name, value]) => `<tr><th scope="row">${escaped(name)}</th><td><code>${escaped(value)}</code></td></tr>`).join('\n')}
</table>
${section('Failed', broken)}${section('Advice that was not followed', advised)}${section('Passed', passed)}${section('Not shown', unseen)}<p class="small">Made by <code>bookctl sandbox certify</code> from what a local sandbox saw. It does not prove what customers are shown, nor what a
program does besides its requests. <code>bookctl sandbox certify --check FILE</code> says whether this file was changed.</p>
</body>
</html>
`
}

function section(title: string, rules: readonly SheetRule[]): string {
  if (rules.length === 0) return ''
  return `<h2>${title}</h2>\n<table>\n${rules.map(rowOf).join('\n')}\n</table>\n`
}

function rowOf(rule: SheetRule): string {
  const {evidence, text, advice, verdict} = rule
  const shownText = verdict === 'not_shown' ? unseenText(rule) : text
  const more = evidence.length - MOST_PRINTED
  const ids = evidence.slice(0, MOST_PRINTED).join(', ') + (more > 0 ? ` and ${more} more` : '')
  const fix = verdict === 'failed' ? `<br>${escaped(advice)}<br><code>${escaped(ids)}</code>` : ''
  return `<tr><th scope="row">${escaped(nameOf(rule))}</th><td>${escaped(shownText)}${fix}</td></tr>`
}

/** Returns the fingerprint of a public key (base64) in the form of OpenSSH. */
function fingerprintOf(publicKey: string): string {
  const sum = createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('base64')
  return `SHA256:${sum.replace(/=+$/, '')}`
}

const withPlainLineEnds = (text: string) => text.replaceAll('\r\n', '\n')

/** The check of a page: whether it is unchanged since it was signed, with which key, and whether this machine has that key. */
export interface SheetCheck {
  readonly unchanged: boolean
  readonly key: string | null
  readonly own_key: boolean
}

/**
 * Checks the bytes of a file. `ownKey` is the key of this machine, if it has one. Mail and git may write line ends as CRLF, which
 * a browser shows as the same page, so they are read as LF.
 */
export function checkSheet(bytes: Buffer, ownKey: KeyObject | undefined): SheetCheck {
  const text = withPlainLineEnds(bytes.toString('latin1'))
  const [comment = '', publicKey = '', signature = ''] =
    /<!-- bookctl-signature ([\w+/=]{1,200}) ([\w+/=]{1,200}) -->\n$/.exec(text) ?? []
  if (comment === '') return {unchanged: false, key: null, own_key: false}
  const page = Buffer.from(text.slice(0, -comment.length), 'latin1')
  return {
    unchanged: isSigned(page, publicKey, signature),
    key: fingerprintOf(publicKey),
    own_key: ownKey !== undefined && publicText(ownKey) === publicKey,
  }
}

function isSigned(page: Buffer, publicKey: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64')
  // Base64 can encode the same bytes in several ways; only the usual one is accepted.
  if (bytes.toString('base64') !== signature) return false
  try {
    const key = createPublicKey({key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki'})
    return key.asymmetricKeyType === 'ed25519' && verify(null, page, key, bytes)
  } catch {
    return false
  }
}
