/**
 * Starts the sandbox of `sandbox start`: chooses the database, makes sure that only one sandbox uses it, and prints a
 * line for each request.
 */
import {realpathSync} from 'node:fs'
import {dirname, join, resolve} from 'node:path'
import process from 'node:process'
import {createRedactor} from '../../../api/redact/redact.js'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {SANDBOX_NAME} from '../../../state/file-names.js'
import {StorageError} from '../../../storage/errors.js'
import {isWritableDirectory} from '../../../storage/files.js'
import {runningSandboxes} from '../../session/sandbox-records.js'
import {painterFor, type Style} from '../../terminal/colour.js'
import {jsonText} from '../../terminal/json-text.js'
import {createLineWriter} from '../../terminal/line-writer.js'
import {widthOf} from '../../terminal/streams.js'
import {cutTo} from '../../terminal/text.js'

/** Returns the path of the database: that of `--db`, otherwise `sandbox.db` in the configuration directory. */
export function sandboxDatabase(typed: string | undefined, configDirectory: string): string {
  if (typed === ':memory:') return typed
  return typed ? resolve(typed) : join(configDirectory, SANDBOX_NAME)
}

/** How long to wait for the lock. A start takes a moment, or a quarter of a second if another sandbox uses the file. */
const STARTING_MILLISECONDS = 20_000

/**
 * Starts a sandbox, while no other process can start one on the same database. Throws a usage error with the address of
 * the sandbox if one already uses the database.
 */
export async function startAlone<T>(configDirectory: string, database: string, start: () => Promise<T>) {
  if (database === ':memory:') return start()
  try {
    if (!isWritableDirectory(configDirectory)) return await start()
    const {withLock} = await import('../../../storage/lock.js')
    const lock = {directory: configDirectory, kind: 'sandbox', key: database}
    const done = await withLock({...lock, waitMilliseconds: STARTING_MILLISECONDS}, start)
    return done.gaveUp ? await start() : done.value
  } catch (error) {
    if (!(error instanceof StorageError) || error.fault !== 'busy') throw error
    const running = runningSandboxes(configDirectory)
    // A sandbox started with another configuration directory has its record next to the database.
    const there = runningSandboxes(dirname(realPath(database)))
    const other = [...running, ...there].find(record => realPath(record.database) === realPath(database))
    if (other === undefined) throw error
    const {base_url, origin, pid} = other
    const choice = running.length === 1 && other === running[0] ? '' : ` --base-url ${base_url}`
    const hint = `use it: eval "$(bookctl sandbox env${choice})"; for another one beside it: bookctl sandbox start --db FILE`
    throw usage('sandbox_already_running', `already running at ${origin} (pid ${pid})`, hint)
  }
}

/** Resolves symbolic links. Returns `path` unchanged if there is no such file. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** An answered request. `status` is null if the sandbox cut the connection instead. */
type AnsweredRequest = Record<'method' | 'path' | 'request_id', string> & {
  readonly status: number | null
  readonly milliseconds: number
}

/** Returns a printer that writes one line per request to stdout, as JSON or text. */
export function createRequestLines(asJson: boolean) {
  // If the reader is slow or gone, lines are dropped, so that the sandbox never waits.
  const writer = createLineWriter(() => {})
  const redactor = createRedactor()
  const painter = painterFor(process.stdout, process.env)
  return {
    add({method, path, status, milliseconds, request_id}: AnsweredRequest) {
      const shown = sanitizeLine(redactor.text(path), 500)
      const ms = Math.round(milliseconds)
      if (asJson)
        return writer.write(jsonText({type: 'request', method, path: shown, status, ms, request_id}))
      const columns = process.stdout.isTTY ? widthOf(process.stdout) : Number.POSITIVE_INFINITY
      const answer = String(status ?? 'no answer')
      const cut = cutTo(shown, columns - `${method}  ${answer} ${ms} ms`.length)
      const hasRoom = `${method} ${cut} ${answer} ${ms} ms ${request_id}`.length <= columns
      const id = hasRoom ? ` ${request_id}` : ''
      writer.write(`${method} ${cut} ${painter(styleOf(status), answer)} ${ms} ms${id}`)
    },
    end: () => writer.drain(500),
  }
}

function styleOf(status: AnsweredRequest['status']): Style {
  if (status === null || status >= 500) return 'bad'
  return status >= 400 ? 'waiting' : 'good'
}
