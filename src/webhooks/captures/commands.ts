/**
 * Reads a request from the command that sends it: curl as bash, cmd.exe and PowerShell write it, and Invoke-WebRequest. Texts
 * have one character per byte (latin1).
 */
import {gatherHeaders, type WebhookHeaderNames} from '../signature/headers.js'
import {bashVariables, readBash} from './bash.js'
import {readCmd} from './cmd.js'
import {bodyIsElsewhere, TYPOGRAPHIC_COMMAND, unclear} from './gaps.js'
import {isSignature} from './lines.js'
import {powerShellVariables, readCmdlet, readProgram, type Value} from './powershell.js'
import {type CapturedRequest, type Gap, hasSignature, type Reading, signedOrFirst} from './request.js'
import {type Command, type Variables, type Word, whenUsed} from './words.js'
import {joinedReadings} from './wrapped.js'

/** A request as one shell sends it. */
interface Sent {
  readonly pairs: readonly (readonly [string, string])[]
  readonly body: string | undefined
  readonly gap?: Gap | undefined
  readonly note?: string | undefined
}

const CMDLET = /(?<![\w-])(?:Invoke-(?:WebRequest|RestMethod)|iwr|irm)(?=[ \t`])/gi
const CURL = /(?<![\w.-])(?:curl|CURL)(?:\.exe)?(?=[ \t])/g

/** A text rarely has more than one, but may have the word curl in many places. */
const MOST_COMMANDS = 100

/** Returns the requests of the commands in `text` that have headers, or undefined if there is none. */
export function readCommands(text: string, names: WebhookHeaderNames): CapturedRequest[] | undefined {
  const found = commandsIn(text, names)
  if (found?.some(request => hasSignature(request, names))) return found
  // Typographic quotes are no quotes to a shell, so this is not the command that was run.
  const straight = text.replace(/\xe2\x80[\x9c-\x9f]/g, '"').replace(/\xe2\x80[\x98-\x9b]/g, "'")
  if (straight === text) return found
  const meant = commandsIn(straight, names)?.filter(request => hasSignature(request, names)) ?? []
  return meant.length === 0 ? found : meant.map(request => ({...request, doubt: TYPOGRAPHIC_COMMAND}))
}

function commandsIn(text: string, names: WebhookHeaderNames): CapturedRequest[] | undefined {
  const found: CapturedRequest[] = []
  let end = 0
  const programs = [...text.matchAll(CMDLET), ...text.matchAll(CURL)]
  for (const {index, 0: program} of programs.slice(0, MOST_COMMANDS)) {
    if (index < end) continue
    const start = index + program.length
    const isCmdlet = /^i/i.test(program) || /^curl[^\n]*[ \t]-(?:Headers|Body|Uri)\b/i.test(text.slice(index))
    const read = isCmdlet ? [cmdletRequest(text, start)] : readings(text, index, program)
    const likely = read.filter(({sent}) => sent.pairs.length > 0 || sent.body !== undefined)
    const first = likely.find(({sent}) => isSigned(sent, names)) ?? likely[0]
    if (first === undefined) continue
    end = first.end
    const all = likely.map(({sent}) => sent)
    found.push(requestOf(first.sent, all, names, text))
  }
  return found.length === 0 ? undefined : signedOrFirst(found, names)
}

const isSigned = ({pairs}: Sent, names: WebhookHeaderNames) => pairs.some(pair => isSignature(pair, names))

function requestOf(
  first: Sent,
  all: readonly Sent[],
  names: WebhookHeaderNames,
  whole: string,
): CapturedRequest {
  const {pairs, gap} = first
  // A mail breaks long lines, also within quotes.
  const unbroken = pairs.map(([name, value]): [string, string] => {
    const joint = name.toLowerCase() === names.signature.toLowerCase() ? '' : ' '
    return [name, value.replace(/[ \t]*\r?\n[ \t]*/g, joint)]
  })
  const headers = gatherHeaders(unbroken)
  const body = Buffer.from(first.body ?? '', 'latin1')
  if (gap) return {headers, body, gap}
  function* otherReadings(): Generator<Reading> {
    const bodies = new Map<string, string | undefined>()
    for (const {body: text, note} of all) if (text !== undefined && !bodies.has(text)) bodies.set(text, note)
    for (const [text, note] of bodies)
      if (text !== first.body) yield {body: Buffer.from(text, 'latin1'), note}
    for (const [text] of bodies) yield* joinedReadings(text, whole)
  }
  return {headers, body, otherReadings, afterwards: {notes: []}}
}

/** What shows that a command is for a shell: how it joins lines, and how it writes longer texts. */
const SIGNS = {
  powerShell: /`[ \t]*\r?\n|@['"][ \t]*\r?\n/,
  cmd: /\^[ \t]*\r?\n|\^"/,
  bash: /\\[ \t]*\r?\n|\$'|<<-?['"\w]/,
} as const

function shellOf(before: string, command: string): keyof typeof SIGNS | undefined {
  const line = before.slice(before.lastIndexOf('\n') + 1)
  if (/^(?:[> ]*)PS [A-Z]:|^PS /.test(line) || /^[ \t]*\$\w+[ \t]+=/m.test(before)) return 'powerShell'
  if (/[A-Z]:\\[^\n]*>[ \t]*$/i.test(line)) return 'cmd'
  const shells = (['powerShell', 'cmd', 'bash'] as const).map(shell => ({
    shell,
    at: command.search(SIGNS[shell]),
  }))
  return shells.filter(({at}) => at >= 0).toSorted((a, b) => a.at - b.at)[0]?.shell
}

/** Returns how each shell that may have run the curl command at `index` sends it, the most likely first. */
function readings(text: string, index: number, program: string): {sent: Sent; end: number}[] {
  const start = index + program.length
  const before = text.slice(0, index)
  const upTo = text.slice(start, start + 200_000)
  const as = (command: Command, note?: string) => ({sent: curlRequest(command, note), end: command.end})
  const bash = () => {
    const variables = whenUsed(() => bashVariables(before, index))
    return as({...readBash(text, start, variables), ...pipedInput(before, variables)})
  }
  const cmd = () => {
    const typed = readCmd(text, start, {isBatch: false})
    const batch = readCmd(text, start, {isBatch: true})
    return [as(typed), as(batch, 'the command was read as in a batch file, where %% is one percent sign')]
  }
  const powerShell = () => {
    const variables = whenUsed(() => powerShellVariables(before, index))
    const windows = as(readProgram(text, start, variables, true))
    const current = as(readProgram(text, start, variables, false))
    // Quotes that are escaped twice are meant for Windows PowerShell.
    return /\\"|\\`"/.test(upTo) ? [windows, current] : [current, windows]
  }
  const shell = shellOf(before, upTo)
  if (shell === 'powerShell') return powerShell()
  if (shell === 'cmd') return cmd()
  if (shell === 'bash') return [bash()]
  const isWindows = program.endsWith('.exe')
  // Single quotes are letters to cmd.exe.
  if (/(?:^|[ \t=])'/.test(upTo)) return isWindows ? [...powerShell(), bash()] : [bash(), ...powerShell()]
  return isWindows ? [...cmd(), ...powerShell(), bash()] : [bash(), ...cmd(), ...powerShell()]
}

/** Returns what `printf '%s' '…' |` or `echo '…' |` before a command writes to it. */
function pipedInput(before: string, variables: Variables<string>): Pick<Command, 'input'> {
  const last = [...before.matchAll(/(?<=^|[\n;]|[$#] )[ \t]*(?:printf|echo)[ \t]/g)].at(-1)
  if (last === undefined) return {}
  const {words, end} = readBash(before, last.index, variables)
  if (before.slice(end).trim() !== '|' || words.some(({unknown}) => unknown.length > 0)) return {}
  const [program, ...others] = words.map(({text}) => text)
  if (program === 'printf') return others.length === 2 && others[0] === '%s' ? {input: others[1]} : {}
  const isBare = others[0] === '-n'
  return {input: `${others.slice(isBare ? 1 : 0).join(' ')}${isBare ? '' : '\n'}`}
}

/** The long names of the short options that are read here. */
const SHORT: Readonly<Record<string, string>> = {H: 'header', d: 'data', T: 'upload-file', F: 'form'}
/** Other short options of curl that take a value. */
const SHORT_WITH_VALUE = 'AbcCDeEhKmoPQrtuUwxXyYz'
const LONG_WITH_VALUE = new Set([
  'cacert',
  'capath',
  'cert',
  'cert-type',
  'ciphers',
  'config',
  'connect-timeout',
  'connect-to',
  'cookie',
  'cookie-jar',
  'form',
  'interface',
  'key',
  'key-type',
  'limit-rate',
  'max-redirs',
  'max-time',
  'noproxy',
  'oauth2-bearer',
  'output',
  'pass',
  'proxy',
  'proxy-header',
  'proxy-user',
  'range',
  'referer',
  'request',
  'resolve',
  'retry',
  'retry-delay',
  'retry-max-time',
  'tls-max',
  'trace',
  'trace-ascii',
  'unix-socket',
  'upload-file',
  'url',
  'user',
  'user-agent',
  'write-out',
])
const DATA = new Set(['data', 'data-ascii', 'data-binary', 'data-raw', 'data-urlencode', 'json'])

/** Converts the words of a curl command to a request, as curl does. */
function curlRequest({words, input}: Command, note?: string): Sent {
  const pairs: (readonly [string, string])[] = []
  const unknown: string[] = []
  let body: string | undefined
  let gap: Gap | undefined
  for (const [option, value] of optionsOf(words)) {
    if (value === undefined) continue
    if (option === 'header') {
      if (value.text.startsWith('@')) gap ??= bodyIsElsewhere('a file, and so are headers')
      const [, name = '', content = ''] = /^([^:;\s]+)\s*[:;]\s*([\s\S]*?)\s*$/.exec(value.text) ?? []
      if (name !== '') pairs.push([name, content])
      unknown.push(...value.unknown)
      continue
    }
    if (option === 'upload-file' || option === 'form') {
      gap ??= bodyIsElsewhere(option === 'form' ? 'a form with several parts' : 'a file')
      continue
    }
    if (!DATA.has(option)) continue
    unknown.push(...value.unknown)
    const isFile = value.text.startsWith('@') && option !== 'data-raw' && option !== 'data-urlencode'
    const file = value.text.slice(1)
    if (isFile && (file !== '-' || input === undefined))
      gap ??= bodyIsElsewhere(file === '-' ? 'standard input' : `the file ${file.slice(0, 100)}`)
    let text = isFile ? (input ?? '') : value.text
    // Curl drops line breaks of a file, unless the data is binary.
    if (isFile && option !== 'data-binary' && option !== 'json') text = text.replace(/[\r\n\0]/g, '')
    if (option === 'data-urlencode') text = urlEncoded(value.text)
    const joint = option === 'json' ? '' : '&'
    body = body === undefined ? text : `${body}${joint}${text}`
  }
  if (unknown.length > 0)
    gap ??= unclear(
      `The command contains ${unknown[0]?.slice(0, 60)}, which the shell replaces by a value that is not in the text.`,
    )
  if (body === undefined) gap ??= bodyIsElsewhere('elsewhere')
  return {pairs, body, gap, note}
}

function urlEncoded(text: string): string {
  const [, name, content] = /^([^=]*)=([\s\S]*)$/.exec(text) ?? [undefined, '', text]
  const encoded = content.replace(
    /[^\w.~-]/g,
    byte => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  )
  return name === '' ? encoded : `${name}=${encoded}`
}

/** Yields the options with their long names. Short options may be joined, with their value: `-sSXPOST`. */
function* optionsOf(words: readonly Word[]): Generator<readonly [string, Word | undefined]> {
  for (let n = 0; n < words.length; n += 1) {
    const word = words[n] as Word
    const [, long, inline] = /^--([a-z][a-z0-9.-]*)(?:=([\s\S]*))?$/.exec(word.text) ?? []
    if (long !== undefined) {
      const takesValue = long === 'header' || DATA.has(long) || LONG_WITH_VALUE.has(long)
      if (inline !== undefined) yield [long, {...word, text: inline}]
      else if (takesValue) {
        n += 1
        yield [long, words[n]]
      }
      continue
    }
    if (!/^-[A-Za-z#:]/.test(word.text)) continue
    for (let at = 1; at < word.text.length; at += 1) {
      const letter = word.text[at] ?? ''
      const name = SHORT[letter]
      if (name === undefined && !SHORT_WITH_VALUE.includes(letter)) continue
      const rest = word.text.slice(at + 1)
      if (rest === '') n += 1
      const value = rest === '' ? words[n] : {...word, text: rest}
      yield [name ?? letter, value]
      break
    }
  }
}

/** Reads the parameters of Invoke-WebRequest or Invoke-RestMethod. */
function cmdletRequest(text: string, start: number): {sent: Sent; end: number} {
  const variables = whenUsed(() => powerShellVariables(text.slice(0, start), start))
  const {parameters, end} = readCmdlet(text, start, variables)
  const named = (name: string): Value | undefined => {
    const found = [...parameters].find(([key]) => key.length >= 3 && name.startsWith(key))
    return found?.[1]
  }
  const headers = named('headers')
  const body = named('body')
  const file = named('infile')
  const pairs = (headers?.entries ?? []).map(([name, {text: value}]) => [name, value] as const)
  const type = named('contenttype')
  if (type) pairs.push(['Content-Type', type.text])
  const entryUnknown = (headers?.entries ?? []).flatMap(([, {unknown}]) => unknown)
  const unknown = [...(headers?.unknown ?? []), ...(body?.unknown ?? []), ...entryUnknown]
  let gap: Gap | undefined
  if (file) gap = bodyIsElsewhere(`the file ${file.text.slice(0, 100)}`)
  else if (unknown.length > 0)
    gap = unclear(`The command contains ${unknown[0]?.slice(0, 60)}, whose value is not in the text.`)
  else if (body === undefined || body.entries !== undefined) gap = bodyIsElsewhere('elsewhere')
  return {sent: {pairs, body: body?.text, gap}, end}
}
