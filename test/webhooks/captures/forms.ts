/**
 * Writes a signed request in the forms that partners send: as a command of a shell, in a mail, as a trace, and as the JSON of a
 * gateway or a log. Each writer follows the rules of the program that it stands for, and shares no code with src/.
 */

export interface Written {
  readonly signature: string
  readonly eventId: string
  readonly body: Buffer
}

/** Returns the text of a request, or undefined if the form cannot hold this body. */
type Write = (request: Written) => string | Buffer | undefined

const URL = 'https://partner.example/hooks'

const headersOf = ({signature, eventId}: Written): [string, string][] => [
  ['Content-Type', 'application/json'],
  ['X-Service-Event-Id', eventId],
  ['X-Service-Signature', signature],
]
const headLines = (request: Written) => headersOf(request).map(([name, value]) => `${name}: ${value}`)
const textOf = ({body}: Written) => body.toString()
const isOneLine = (text: string) => !/[\r\n]/.test(text)
const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)

// bash

const single = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const double = (text: string) => `"${text.replace(/[\\"$`]/g, '\\$&')}"`
const ansi = (text: string) =>
  `$'${text
    .replace(/[\\'!]/g, mark => (mark === '!' ? '\\u0021' : `\\${mark}`))
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replace(/[^\0-\x7f]/gu, letter => {
      const code = letter.codePointAt(0) ?? 0
      return code > 0xffff
        ? `\\U${code.toString(16).padStart(8, '0')}`
        : `\\u${code.toString(16).padStart(4, '0')}`
    })}'`

const curl =
  (quote: (text: string) => string, data: string, {joint = ' \\\n  ', header = '-H '} = {}): Write =>
  request => {
    const headers = headLines(request).map(line => `${header}${quote(line)}`)
    return ['curl -sS -X POST', ...headers, `${data}${quote(textOf(request))}`, quote(URL)].join(joint)
  }

// cmd.exe and the C runtime of Windows

/** Escapes a text for the C runtime: backslashes double only before a quote. */
const runtime = (text: string) => `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`
const runtimeDoubled = (text: string) => `"${text.replace(/(\\*)"/g, '$1$1""').replace(/\\+$/, '$&$&')}"`
const careted = (text: string) => text.replace(/[()%!^"<>&|]/g, '^$&')
/** Escapes as browsers do in "Copy as cURL (cmd)". */
const copied = (text: string) =>
  `^"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replace(/[^a-zA-Z0-9\s_\-:=+~'/.',?;()*`]/gu, '^$&')
    .replace(/%(?=[a-zA-Z0-9_])/g, '%^')
    .replace(/\r?\n/g, '^\n\n')}^"`

const cmdCurl =
  (quote: (text: string) => string): Write =>
  request => {
    const text = textOf(request)
    if (!isOneLine(text)) return undefined
    const headers = headLines(request).map(line => `-H ${quote(line)}`)
    return ['C:\\work>curl.exe -X POST', ...headers, `--data-raw ${quote(text)}`, quote(URL)].join(' ^\r\n  ')
  }

/** A text between double quotes, in which cmd.exe sees no caret and no end of the command. */
const isPlainForCmd = (text: string) => !/[%^&|<>!]/.test(text)

// PowerShell

const psSingle = (text: string) => `'${text.replaceAll("'", "''")}'`
const psDouble = (text: string) =>
  `"${text
    .replace(/[`"$]/g, '`$&')
    .replaceAll('\n', '`n')
    .replaceAll('\r', '`r')
    .replace(/[^\0-\x7f]/g, unit => `$([char]${unit.charCodeAt(0)})`)}"`

const invoke =
  (quote: (text: string) => string, body: (text: string) => string): Write =>
  request => {
    const entries = headersOf(request)
      .slice(1)
      .map(([name, value]) => `  ${quote(name)} = ${quote(value)}`)
    return [
      'Invoke-WebRequest -UseBasicParsing `',
      `  -Uri ${quote(URL)} -Method POST \``,
      `  -Headers @{\n${entries.join('\n')}\n} \``,
      "  -ContentType 'application/json' `",
      `  -Body ${body(textOf(request))}`,
    ].join('\n')
  }

// HTTP, mails and texts

const MAIL =
  'From: Ada <ada@partner.example>\nTo: support@service.example\nSubject: signature\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n'

const http = (request: Written, more: readonly string[] = []) =>
  ['POST /hooks HTTP/1.1', 'Host: partner.example', ...headLines(request), ...more, '', textOf(request)].join(
    '\n',
  )
const quoted = (text: string, mark: string) =>
  text
    .split('\n')
    .map(line => (line === '' ? mark.trimEnd() : `${mark}${line}`))
    .join('\n')

/** Breaks lines as a mail program does: at the last space, or within a word that is longer than a line. */
function wrapped(text: string, width: number, mark = ''): string {
  return text
    .split('\n')
    .flatMap(line => {
      const lines: string[] = []
      let rest = line
      while (rest.length > width) {
        const space = rest.lastIndexOf(' ', width)
        lines.push(rest.slice(0, space > 0 ? space : width))
        rest = rest.slice(space > 0 ? space + 1 : width)
      }
      return [...lines, rest]
    })
    .map(line => `${mark}${line}`)
    .join('\n')
}

/** A body whose own line breaks and double spaces no wrapping confuses. */
const canBeWrapped = (text: string) => isOneLine(text) && !/ {2}|^ | $/.test(text)

// Traces of curl

/** Writes bytes as `curl --trace` does. */
function hexDump(bytes: Buffer): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 16) {
    const part = [...bytes.subarray(at, at + 16)]
    const hex = part.map(byte => `${byte.toString(16).padStart(2, '0')} `).join('')
    const shown = part.map(byte => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${at.toString(16).padStart(4, '0')}: ${hex.padEnd(48)}${shown}`)
  }
  return lines.join('\n')
}

/** Writes bytes as `curl --trace-ascii` does: lines of 64 bytes, which end at a CRLF. */
function asciiDump(bytes: Buffer): string {
  const lines: string[] = []
  let at = 0
  while (at < bytes.length) {
    let shown = ''
    let end = at
    while (end < bytes.length && end - at < 64) {
      if (bytes[end] === 0x0d && bytes[end + 1] === 0x0a) break
      const byte = bytes[end] ?? 0
      shown += byte >= 0x20 && byte < 0x80 ? String.fromCharCode(byte) : '.'
      end += 1
    }
    lines.push(`${at.toString(16).padStart(4, '0')}: ${shown}`)
    at = bytes[end] === 0x0d && bytes[end + 1] === 0x0a ? end + 2 : end
  }
  return lines.join('\n')
}

const trace =
  (dump: (bytes: Buffer) => string): Write =>
  request => {
    const head = Buffer.from(
      ['POST /hooks HTTP/1.1', 'Host: partner.example', ...headLines(request), '', ''].join('\r\n'),
    )
    const answer = Buffer.from('HTTP/1.1 200 OK\r\n')
    return [
      '== Info:   Trying 127.0.0.1:8080...',
      '== Info: Connected to partner.example',
      `=> Send header, ${head.length} bytes (0x${head.length.toString(16)})`,
      dump(head),
      `=> Send data, ${request.body.length} bytes (0x${request.body.length.toString(16)})`,
      dump(request.body),
      '== Info: upload completely sent off',
      `<= Recv header, ${answer.length} bytes (0x${answer.length.toString(16)})`,
      dump(answer),
      '',
    ].join('\n')
  }

// Gateways and logs

const objectOf = (request: Written) => Object.fromEntries(headersOf(request))
const manyOf = (request: Written) =>
  Object.fromEntries(headersOf(request).map(([name, value]) => [name, [value]]))
const base64 = (request: Written) => request.body.toString('base64')

const json =
  (make: (request: Written) => unknown, indent?: number): Write =>
  request =>
    JSON.stringify(make(request), null, indent)

export const FORMS: Readonly<Record<string, Write>> = {
  'bash, single quotes': curl(single, '--data-raw '),
  'bash, single quotes on one line': curl(single, '-d ', {joint: ' '}),
  'bash, double quotes': curl(double, '--data '),
  "bash, $'…' as browsers copy it": curl(ansi, '--data-raw '),
  'bash, --header= and --data-binary=': curl(single, '--data-binary=', {header: '--header='}),
  'bash, joined options': curl(single, '-d', {header: '-H'}),
  'bash, lines that end with CRLF': request => {
    if (!isOneLine(textOf(request))) return undefined
    return String(curl(single, '--data-binary ')(request)).replaceAll('\n', '\r\n')
  },
  'bash, a prompt, and curl -v below it': request =>
    `$ curl -v ${headLines(request)
      .map(line => `-H ${single(line)}`)
      .join(
        ' ',
      )} --data-binary ${single(textOf(request))} ${URL}\n* Connected\n> POST /hooks HTTP/1.1\n> Host: x\n>\n* upload completely sent off\n< HTTP/1.1 401 Unauthorized\n<\n{"received":false}\n`,
  'bash, a here document': request =>
    /^EOF$/m.test(textOf(request)) || /[\r\n]/.test(textOf(request))
      ? undefined
      : `curl ${URL} ${headLines(request)
          .map(line => `-H ${double(line)}`)
          .join(' ')} -d @- <<'EOF'\n${textOf(request)}\nEOF\n`,
  'bash, variables': request =>
    `SIG=${single(request.signature)}\nBODY=${single(textOf(request))}\ncurl -H "X-Service-Signature: $SIG" --data-raw "$BODY" ${URL}\n`,
  'cmd.exe, carets': cmdCurl(text => careted(runtime(text))),
  'cmd.exe, backslashes before quotes': request =>
    isPlainForCmd(textOf(request)) ? cmdCurl(runtime)(request) : undefined,
  'cmd.exe, doubled quotes': request =>
    isPlainForCmd(textOf(request)) ? cmdCurl(runtimeDoubled)(request) : undefined,
  // Browsers double every backslash, and cmd.exe keeps those that are not before a quote.
  'cmd.exe, as browsers copy it': request =>
    textOf(request).includes('\\') ? undefined : cmdCurl(copied)(request),
  'PowerShell, single quotes': invoke(psSingle, psSingle),
  'PowerShell, double quotes as browsers copy it': invoke(
    psDouble,
    text => `([System.Text.Encoding]::UTF8.GetBytes(${psDouble(text)}))`,
  ),
  'PowerShell, a here-string': request =>
    /^'@/m.test(textOf(request)) ? undefined : invoke(psSingle, text => `@'\n${text}\n'@`)(request),
  'PowerShell, variables': request =>
    [
      '$headers = @{',
      ...headersOf(request).map(([name, value]) => `    "${name}" = "${value}"`),
      '}',
      `$body = ${psSingle(textOf(request))}`,
      `Invoke-RestMethod -Method Post -Uri ${URL} -Headers $headers -Body $body`,
    ].join('\n'),
  'PowerShell, curl.exe with backticks': request =>
    [
      'curl.exe -X POST',
      ...headLines(request).map(line => `-H ${psSingle(line)}`),
      `--data-raw ${psSingle(textOf(request))}`,
      URL,
    ].join(' `\n  '),
  'Windows PowerShell, curl.exe with escaped quotes': request => {
    const text = textOf(request)
    if (!/\s/.test(text)) return undefined
    const passed = text.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')
    const headers = headLines(request).map(line => `-H ${psSingle(line)}`)
    return ['curl.exe -X POST', ...headers, `--data-raw ${psSingle(passed)}`, URL].join(' `\n  ')
  },
  'HTTP, after other words': request => `Hello,\nthis is what we got:\n\n${http(request)}`,
  'HTTP, in a mail': request => quoted(http(request), '> '),
  'HTTP, in a mail of a mail': request => `On Friday you wrote:\n${quoted(http(request), '> > ')}\n> bye\n`,
  'HTTP, in a mail with bars': request => quoted(http(request), '| '),
  'HTTP, in a mail without spaces after the marks': request =>
    /^\s/m.test(textOf(request)) ? undefined : quoted(http(request), '>'),
  'HTTP, with a length, in a mail with a signature': request =>
    `${quoted(http(request, [`Content-Length: ${request.body.length}`]), '> ')}\n\n-- \nAda\n`,
  'HTTP, in a mail with broken lines': request =>
    canBeWrapped(textOf(request)) ? wrapped(http(request), 76, '> ') : undefined,
  'HTTP, in a mail with broken lines and no marks': request =>
    canBeWrapped(textOf(request)) ? wrapped(http(request), 72) : undefined,
  'a mail in a file, quoted-printable': request => {
    const text = Buffer.from(`Hello,\n\n${quoted(http(request), '> ')}\n`)
    const encoded = [...text]
      .map(byte =>
        byte === 0x0a || (byte >= 0x20 && byte < 0x7f && byte !== 0x3d)
          ? String.fromCharCode(byte)
          : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
      )
      .join('')
      .replace(/[^\n]{60}(?==?[^\n])(?<!=.?)/g, '$&=\n')
    return `${MAIL}Content-Transfer-Encoding: quoted-printable\n\n${encoded}`
  },
  'a mail in a file, base64 in one of its parts': request =>
    [
      `${MAIL.replace('text/plain', 'multipart/alternative; boundary="b1"')}`,
      '--b1\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n',
      Buffer.from(http(request)).toString('base64').replace(/.{76}/g, '$&\n'),
      '--b1\nContent-Type: text/html\n\n<p>Hello</p>\n--b1--\n',
    ].join('\n'),
  'bash, in a mail': request => quoted(String(curl(single, '--data-raw ')(request)), '> '),
  'bash, in a mail with broken lines': request =>
    canBeWrapped(textOf(request))
      ? wrapped(String(curl(single, '--data-raw ', {joint: ' '})(request)), 76, '> ')
      : undefined,
  'bash, printf before it': request =>
    `printf '%s' ${single(textOf(request))} | curl -H ${single(`X-Service-Signature: ${request.signature}`)} --data-binary @- ${URL}\n`,
  'PowerShell, parameters in a variable': request =>
    [
      '$params = @{',
      `  Uri = '${URL}'`,
      "  Method = 'Post'",
      `  Headers = @{ 'X-Service-Signature' = ${psSingle(request.signature)} }`,
      `  Body = ${psSingle(textOf(request))}`,
      '}',
      'Invoke-RestMethod @params',
    ].join('\n'),
  'a list of names and values': request =>
    `${headersOf(request)
      .map(([name, value]) => `${name} = ${value}`)
      .join('\n')}\nBody = ${textOf(request)}\n`,
  'indented text': request =>
    `Headers:\n${headLines(request)
      .map(line => `    ${line}`)
      .join('\n')}\nPayload:\n${textOf(request)
      .split('\n')
      .map(line => `    ${line}`)
      .join('\n')}\n`,
  'headers in another order': request =>
    `${headLines(request).toReversed().join('\n')}\n\n${textOf(request)}`,
  'headers and body with labels': request =>
    `Headers:\n${headLines(request).join('\n')}\n\nBody:\n${textOf(request)}\n`,
  'headers and body without an empty line': request =>
    `${headLines(request).join('\n')}\n${textOf(request)}\n`,
  'a list of headers, and the body behind its label': request =>
    `${headLines(request)
      .map(line => `  - ${line}`)
      .join('\n')}\n\nRaw body: ${textOf(request)}\n`,
  'between fences': request => `Here it is:\n\`\`\`http\n${http(request)}\n\`\`\`\nThank you\n`,
  'in UTF-16, as Windows saves it': request =>
    Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(http(request), 'utf16le')]),
  'a trace': trace(hexDump),
  'a trace in ASCII': request => (isAscii(textOf(request)) ? trace(asciiDump)(request) : undefined),
  'a trace in a mail': request => quoted(String(trace(hexDump)(request)), '> '),
  'AWS API Gateway 1': json(request => ({
    resource: '/hooks',
    httpMethod: 'POST',
    headers: objectOf(request),
    multiValueHeaders: manyOf(request),
    requestContext: {requestTimeEpoch: 1_700_000_000_000, identity: {sourceIp: '192.0.2.1'}},
    body: textOf(request),
    isBase64Encoded: false,
  })),
  'AWS API Gateway 2, base64': json(
    request => ({
      version: '2.0',
      headers: Object.fromEntries(headersOf(request).map(([name, value]) => [name.toLowerCase(), value])),
      requestContext: {http: {method: 'POST'}, timeEpoch: 1_700_000_000_000},
      body: base64(request),
      isBase64Encoded: true,
    }),
    2,
  ),
  'AWS load balancer': json(request => ({
    requestContext: {elb: {}},
    httpMethod: 'POST',
    multiValueHeaders: manyOf(request),
    body: base64(request),
    isBase64Encoded: true,
  })),
  'CloudWatch, a message that is JSON': json(request => ({
    logEvents: [
      {id: '1', timestamp: 1_700_000_000_000, message: 'START RequestId: 1'},
      {
        id: '2',
        timestamp: 1_700_000_000_500,
        message: `2023-11-14T22:13:20.500Z\tabc\tINFO\t${JSON.stringify({event: {headers: objectOf(request), body: textOf(request)}})}`,
      },
    ],
  })),
  'a line of a log, behind a time': request =>
    `2023-11-14T22:13:19Z INFO started\n2023-11-14T22:13:20Z INFO webhook ${JSON.stringify({req: {method: 'POST', headers: objectOf(request)}, rawBody: textOf(request)})}\n`,
  'a log with headers as objects': json(request => ({
    request: {headers: headersOf(request).map(([name, value]) => ({name, value})), payload: textOf(request)},
    response: {statusCode: 401, headers: {'content-type': 'text/plain'}, body: 'no'},
  })),
  'a log with headers in turn': json(request => ({
    rawHeaders: headersOf(request).flat(),
    body_base64: base64(request),
  })),
  'a log with base64 that it does not mark': json(request => ({
    headers: objectOf(request),
    body: base64(request),
  })),
  'a log with members for headers': json(request => ({
    'http.request.headers.x-service-signature': request.signature,
    'http.request.body': textOf(request),
  })),
  'a log of two pieces of JSON': request =>
    isOneLine(textOf(request))
      ? `INFO:root:headers=${JSON.stringify(objectOf(request))} body=${textOf(request)}\n`
      : undefined,
  'a log with a Buffer': json(request => ({headers: objectOf(request), rawBody: request.body})),
  'a collection of a tool': json(request => ({
    request: {
      header: headersOf(request).map(([key, value]) => ({key, value})),
      body: {mode: 'raw', raw: textOf(request)},
    },
  })),
  'a queue, whose body holds the request as JSON': json(request => ({
    Records: [{messageId: '1', body: JSON.stringify({headers: objectOf(request), body: textOf(request)})}],
  })),
  'a log with headers as lines': json(request => ({
    headers: headLines(request).join('\r\n'),
    body: textOf(request),
  })),
  'JSON on several lines, in a mail': request =>
    `Hello,\n${quoted(JSON.stringify({headers: objectOf(request), body: textOf(request)}, null, 2), '> ')}\nBye\n`,
  'JSON in a mail with broken lines': request => {
    const text = JSON.stringify({headers: objectOf(request), body: textOf(request)})
    return / {2}|^ | $/.test(text) ? undefined : wrapped(text, 76, '> ')
  },
  'webhooks events show --json': json(
    request => ({
      event: {
        event_id: request.eventId,
        received_at: '2023-11-14T22:13:20.000Z',
        forwards: [],
        headers: objectOf(request),
        body_base64: base64(request),
        event: {id: 'evt_other'},
      },
    }),
    2,
  ),
}

/** Forms that are no whole request. */
export const NOT_WHOLE: Readonly<Record<string, (request: Written) => string>> = {
  'curl -v': request =>
    `*   Trying 127.0.0.1:8080...\n* Connected to partner.example (127.0.0.1) port 8080\n> POST /hooks HTTP/1.1\n> Host: partner.example\n${quoted(headLines(request).join('\n'), '> ')}\n> Content-Length: ${request.body.length}\n>\n} [${request.body.length} bytes data]\n* upload completely sent off: ${request.body.length} bytes\n< HTTP/1.1 401 Unauthorized\n< Content-Type: application/json\n<\n{"received":false}\n`,
  'the lines of the request of curl -v': request =>
    quoted(`POST /hooks HTTP/1.1\nHost: partner.example\n${headLines(request).join('\n')}\n`, '> '),
  'headers alone': request => `${headLines(request).join('\n')}\n`,
  'headers of an HTTP request': request => http({...request, body: Buffer.alloc(0)}),
  'headers that break off': request => `POST /hooks HTTP/1.1\n${headLines(request).join('\n')}`,
  'an answer': () => 'HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\n\r\n{"received":false}',
  'an answer of a gateway': () => '{"statusCode":401,"headers":{"content-type":"text/plain"},"body":"no"}',
  'curl with a body in a file': request =>
    `curl ${headLines(request)
      .map(line => `-H ${single(line)}`)
      .join(' ')} --data-binary @body.json ${URL}`,
  'a log without a body': request => JSON.stringify({headers: objectOf(request), method: 'POST'}),
  'Invoke-WebRequest with a file': request =>
    `Invoke-WebRequest -Uri ${URL} -Headers @{"X-Service-Signature"="${request.signature}"} -InFile body.json`,
}

const WORDS = [
  'Ayşe Öğüt',
  '山田太郎',
  '🏖️',
  'a b',
  "it's",
  '100 % of 50 %',
  '!ok',
  'a^b',
  '$5',
  '`x`',
  'a/b',
  '<p>',
  'x|y',
  '\u2028',
]
const ESCAPED = [
  'a\\/b',
  'say \\"hi\\"',
  'C:\\\\dir\\\\',
  'line\\nbreak',
  'tab\\t',
  '\\u015f',
  '%PATHX%',
  '(x)',
  'a,b;c',
  '$HOME',
  '~',
]

/**
 * Returns the bytes of a random event: with letters beyond ASCII, quotes, backslashes and the marks of shells, now and then with
 * line breaks between its members.
 */
export function randomBody(pick: (limit: number) => number): Buffer {
  const words = [...WORDS, ...ESCAPED]
  const count = 1 + pick(5)
  const members = Array.from(
    {length: count},
    (_, n) => `"f${n}":"${words[pick(words.length)] ?? ''} ${pick(1000)}"`,
  )
  const lines = ['', '', '', '\n', '\r\n'][pick(5)] ?? ''
  const space = lines === '' ? '' : `${lines}  `
  const parts = [`"id":"evt_${pick(1e6)}"`, '"type":"voucher.ready"', `"data":{${members.join(`,${space}`)}}`]
  return Buffer.from(`{${space}${parts.join(`,${space}`)}${lines}}`)
}
