/**
 * The server for agents: the Model Context Protocol over stdio, in both eras of it. It registers the tools, and what happens
 * around a call is here: a few at a time, errors as results, a line of the log, and an end that waits for what was sent.
 */
import type {Readable, Writable} from 'node:stream'
import {McpServer, type ReadResourceResult, type StandardSchemaWithJSON} from '@modelcontextprotocol/server'
import {StdioServerTransport, serveStdio} from '@modelcontextprotocol/server/stdio'
import {createRedactor} from '../../../api/redact/redact.js'
import {asFailure} from '../../shell/exit-codes.js'
import type {ListenLog} from '../webhooks/listen-log.js'
import {errorResult, resultOf} from './answer.js'
import type {Desk} from './desk.js'
import {INSTRUCTIONS} from './instructions.js'
import {registerPrompts} from './prompts.js'
import {protocolError, type Reading, registerResources} from './resources.js'
import {listed, type Tool} from './tool.js'

export interface Serving {
  readonly desk: Desk
  readonly tools: readonly Tool[]
  readonly log: ListenLog
  readonly version: string
  /** The secrets that requests have held, which a service may echo. */
  readonly secrets: () => readonly string[]
}

/** More calls wait, so that a client cannot open a thousand connections. */
const MOST_CALLS = 8

/**
 * Serves until the client closes its end of the pipe, and resolves when what was sent to the service is answered. Only protocol
 * is written to `output`.
 */
export async function serve(serving: Serving, input: Readable, output: Writable): Promise<void> {
  const {log} = serving
  const calls = new Calls()
  const transport = new Pipe(input, output)
  const server = serveStdio(() => createServer(serving, calls), {
    transport,
    onerror: error =>
      log.writeCounted({level: 'warn', event: 'warning', message: `protocol: ${error.message}`}),
  })
  await transport.closed
  await server.close()
  await calls.whenChangesEnd()
}

/** The transport over stdio, which tells when it has closed. */
class Pipe extends StdioServerTransport {
  private hasClosed: () => void = () => {}
  readonly closed = new Promise<void>(resolve => {
    this.hasClosed = resolve
  })

  override async close(): Promise<void> {
    await super.close()
    this.hasClosed()
  }
}

/** The lists do not change while the server runs. */
const FIXED = {listChanged: false}

/** Creates the server of one connection, with all tools. */
function createServer(serving: Serving, calls: Calls): McpServer {
  const {version, tools, desk, secrets} = serving
  const server = new McpServer(
    {name: 'bookctl', title: 'bookctl, the Partner Booking Service', version},
    {
      instructions: INSTRUCTIONS,
      capabilities: {tools: FIXED, resources: FIXED, prompts: FIXED},
    },
  )
  for (const tool of tools) {
    const {title, description, annotations} = tool
    const {inputSchema, outputSchema = {}} = listed(tool)
    server.registerTool(
      tool.name,
      {
        title,
        description,
        annotations,
        inputSchema: unchecked(inputSchema),
        outputSchema: unchecked(outputSchema),
      },
      given => calls.run(tool.change !== undefined, () => call(serving, tool, given)),
    )
  }
  const reading: Reading = read => calls.run(false, () => readResource(serving, read))
  registerResources(server, desk, () => createRedactor(secrets()), reading)
  registerPrompts(server)
  return server
}

/**
 * Returns a schema that only describes. The tools check their arguments themselves, so that a mistake has the form of every other
 * error; what they return is checked by the tests.
 */
function unchecked(schema: Readonly<Record<string, unknown>>): StandardSchemaWithJSON {
  const json = () => ({...schema})
  return {
    '~standard': {
      version: 1,
      vendor: 'bookctl',
      validate: value => ({value}),
      jsonSchema: {input: json, output: json},
    },
  }
}

async function call({desk, log, secrets}: Serving, tool: Tool, given: unknown) {
  const started = performance.now()
  const report = (level: 'info' | 'warn', code: string) => {
    const ms = Math.round(performance.now() - started)
    log.write({level, event: 'called', message: `${tool.name}: ${code}`, tool: tool.name, code, ms})
  }
  try {
    const result = resultOf(await tool.run(given, desk), createRedactor(secrets()))
    report('info', 'ok')
    return result
  } catch (error) {
    const {kind, details} = asFailure(error)
    report(kind === 'unexpected' ? 'warn' : 'info', details.code)
    return errorResult(error, createRedactor(secrets()))
  }
}

async function readResource({log}: Serving, read: () => Promise<ReadResourceResult>) {
  try {
    return await read()
  } catch (error) {
    const failure = protocolError(error)
    log.write({level: 'info', event: 'called', message: `resource: ${failure.message}`})
    throw failure
  }
}

/** Runs calls a few at a time, and knows which of them may have changed something at the service. */
class Calls {
  private running = 0
  private readonly waiting: (() => void)[] = []
  private readonly changing = new Set<Promise<unknown>>()

  async run<T>(isChange: boolean, work: () => Promise<T>): Promise<T> {
    if (this.running < MOST_CALLS) this.running += 1
    else await new Promise<void>(resolve => this.waiting.push(resolve))
    const result = work()
    if (isChange) this.changing.add(result)
    try {
      return await result
    } finally {
      this.changing.delete(result)
      const next = this.waiting.shift()
      if (next) next()
      else this.running -= 1
    }
  }

  /** Resolves when no call is running that changes something. Such a call is never broken off by the end of the input. */
  async whenChangesEnd(): Promise<void> {
    await Promise.allSettled(this.changing)
  }
}
