/** Parses the address of a shared store: `postgres://user@host/database`. An unknown parameter in it is an error. */
import {readFileSync, statSync} from 'node:fs'
import {homedir} from 'node:os'
import {join} from 'node:path'
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'

export interface StoreAddress {
  /** A host name, an IP address, or the directory of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly password: string | undefined
  /** Whether to use TLS with a verified certificate. Without TLS, only this machine is allowed. */
  readonly isEncrypted: boolean
}

const LOOPBACK = /^(localhost|::1|127(\.\d{1,3}){3})$/

/**
 * Reports whether the address of a store contains a password. Throws a usage error if the text is not such an address.
 */
export function hasPassword(text: string): boolean {
  return parsed(text).password !== ''
}

/**
 * Parses the address of a store. If it contains no password, the password comes from PGPASSWORD or the password file.
 * Throws a usage error if the address is invalid or not supported.
 */
export function parseStoreUrl(text: string, env: NodeJS.ProcessEnv): StoreAddress {
  const url = parsed(text)
  const {user, database, parameters} = url
  const socket = parameters.get('host')
  if (socket !== undefined && (!socket.startsWith('/') || url.host !== ''))
    throw invalid('host= may only name the directory of a socket, and only without another host')
  const host = socket ?? url.host
  if (host === '' || host.includes(',')) throw invalid('it must name one host')
  if (user === '') throw invalid('it must name a user')
  if (database === '') throw invalid('it must name a database')
  const port = url.port === '' ? 5432 : Number(url.port)
  if (!(port > 0 && port < 65_536)) throw invalid('its port must be a number up to 65535')
  const isEncrypted = encryptionOf(parameters.get('sslmode'), host)
  for (const name of parameters.keys())
    if (name !== 'host' && name !== 'sslmode')
      throw invalid(`it has the parameter ${sanitizeLine(name, 40)}; only sslmode and host are known`)
  const place = {host, port, user, database, isEncrypted}
  return {...place, password: url.password || env.PGPASSWORD || passwordInFile(place, env)}
}

/**
 * Removes the password from the address of a store. Any other text is replaced completely, because it may contain a
 * secret.
 */
export function concealPassword(text: string): string {
  return FORM.test(text) ? text.replace(/^([^:]+:\/\/[^:@/?#]*):[^@/?#]*@/, '$1@') : 'not an address'
}

/** Returns the address without its password, for display. */
export function shownAddress({host, port, user, database}: Omit<StoreAddress, 'password'>): string {
  const place = host.startsWith('/') ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`
  return sanitizeLine(`postgres://${user}@${place}/${database.replaceAll('/', '%2F')}`, 200)
}

/**
 * Matches the address of a store. The platform's URL parser cannot be used: it rejects a user without a host, which the
 * address of a socket has. A second `@` is rejected, because the text before it may be a password.
 */
const FORM =
  /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?(\[[^\]]*\]|[^:@/?#]*)(?::(\d*))?(?:\/([^@/?#]*))?(?:\?([^@#]*))?$/

function parsed(text: string) {
  const parts = FORM.exec(text)
  if (parts === null)
    throw invalid(
      'it must look like postgres://user@host/database, with %40 for an @ in any part, %2F for a /',
    )
  const [user = '', password = '', host = '', port = '', database = ''] = parts.slice(1, 6).map(decoded)
  const parameters = new Map(new URLSearchParams(parts[6]))
  return {user, password, host: host.replace(/^\[(.*)\]$/, '$1'), port, database, parameters}
}

function decoded(text = ''): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid('it has a % that is not part of a code such as %2F')
  }
}

/**
 * Decides whether to use TLS. Throws a usage error if a weaker mode is set for another machine, because others could
 * read the connection and answer.
 */
function encryptionOf(mode: string | undefined, host: string): boolean {
  const isHere = LOOPBACK.test(host) || host.startsWith('/')
  if (mode === undefined) return !isHere
  if (mode === 'verify-full' && !host.startsWith('/')) return true
  if (mode === 'disable' && isHere) return false
  if (host.startsWith('/')) throw invalid('a socket speaks no TLS: leave sslmode out')
  const shown = sanitizeLine(mode, 20)
  throw invalid(
    isHere
      ? `sslmode=${shown} is not known here; use verify-full or disable`
      : `sslmode=${shown} is too weak for another machine; use sslmode=verify-full`,
  )
}

/**
 * Returns the usage error for the address of a store. Its message never quotes the address, which may contain a
 * password.
 */
function invalid(problem: string) {
  const hint =
    'set BOOKCTL_STORE, or the setting store, to postgres://user@host/database, or remove it to use the files of this machine'
  return usage('invalid_store', `the address of the store cannot be used: ${problem}`, hint)
}

/**
 * Reads the password from PGPASSFILE or ~/.pgpass. A line is `host:port:database:user:password`, with `*` for any
 * value, and `\:` and `\\` as escapes. The first matching line wins. Like psql, it ignores a file that others may read.
 * The package `pgpass`, which `pg` uses, would take the last matching line.
 */
function passwordInFile(
  {host, port, database, user}: Pick<StoreAddress, 'host' | 'port' | 'database' | 'user'>,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const path = env.PGPASSFILE || join(env.HOME || homedir(), '.pgpass')
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user]
  let text = ''
  try {
    const stats = statSync(path)
    const isPrivate = process.platform === 'win32' || (stats.mode & 0o077) === 0
    if (stats.isFile() && isPrivate) text = readFileSync(path, 'utf8')
  } catch {}
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = [...line.matchAll(/((?:\\.|[^\\:])*)(?::|$)/g)].map(([, field = '']) =>
      field.replace(/\\(.)/g, '$1'),
    )
    const password = fields[4]
    if (password !== undefined && wanted.every((value, n) => fields[n] === '*' || fields[n] === value))
      return password
  }
  return undefined
}
