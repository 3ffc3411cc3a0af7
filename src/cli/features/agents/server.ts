/**
 * The server for agents: the Model Context Protocol over stdio, in both eras of it. It registers the tools, and what happens
 * around a call is here: a few at a time, errors as results, a line of the log, and an end that waits for what was sent.
 */
import process from 'node:process'
import type {Readable, Writable} from 'node:stream'
import {McpServer, type ReadResourceResult, type StandardSchemaWithJSON} from '@modelcontextprotocol/server'
import {StdioServerTransport, serveStdio} from '@modelcontextprotocol/server/stdio'
import {type Redactor, redactStack} from '../../../api/redact/redact.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {asFailure} from '../../shell/exit-codes.js'
import type {ListenLog} from '../webhooks/listen-log.js'
import {errorResult, resultOf} from './answer.js'
import {alreadyAsked} from './consent.js'
import type {Desk} from './desk.js'
import {registerPrompts} from './prompts.js'
import {
  type AskingCaller,
  askClient,
  callerOf,
  createSeal,
  isOfNewerEra,
  OpenQuestions,
  QuestionToAsk,
  questionResult,
  type Replied,
} from './questions.js'
import {protocolError, type Reading, registerResources} from './resources.js'
import {type Answer, listed, type Tool} from './tool.js'

export interface Serving {
  readonly desk: Desk
  readonly tools: readonly Tool[]
  readonly log: ListenLog
  readonly version: string
  readonly instructions: string
  /** Returns the redactor that knows all secrets of requests so far, which a service may echo. */
  readonly redactor: () => Redactor
}

/** More calls wait, so that a client cannot open a thousand connections. */
const MOST_CALLS = 8

/**
 * Serves until the client closes its end of the pipe. What is being changed at the service then is completed first; other calls are
 * left. Only protocol is written to `output`.
 */
export async function serve(serving: Serving, input: Readable, output: Writable): Promise<void> {
  const {log} = serving
  const calls = new Calls()
  const questions = new OpenQuestions()
  const transport = new Pipe(input, output)
  const server = serveStdio(() => createServer(serving, calls, questions), {
    transport,
    onerror: error => log.writeCounted({level: 'warn', event: 'warning', message: problemOf(error)}),
  })
  await transport.closed
  await server.close()
  await calls.whenChangesEnd()
}

/** Describes a problem of the protocol for the log, without the text of a message, which may hold personal data. */
function problemOf(error: Error): string {
  if (error instanceof SyntaxError) return 'a line on stdin is no JSON, and was ignored'
  if (error.name.endsWith('ZodError')) return 'a line on stdin is no message of the protocol, and was ignored'
  return `protocol: ${sanitizeLine(error.message, 200)}`
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
function createServer(serving: Serving, calls: Calls, questions: OpenQuestions): McpServer {
  const {version, tools, desk, redactor, instructions} = serving
  const seal = createSeal()
  const server = new McpServer(
    {name: 'bookctl', title: 'bookctl, the Partner Booking Service', version},
    {
      instructions,
      capabilities: {tools: FIXED, resources: FIXED, prompts: FIXED},
      requestState: {verify: seal.verify},
    },
  )
  for (const tool of tools) {
    const {title, description, annotations} = tool
    let shown: ReturnType<typeof listed> | undefined
    const schemas = () => {
      shown ??= listed(tool)
      return shown
    }
    server.registerTool(
      tool.name,
      {
        title,
        description,
        annotations,
        // Made when the client asks for them: all of them take a fifth of the start.
        inputSchema: unchecked(() => schemas().inputSchema),
        outputSchema: unchecked(() => schemas().outputSchema ?? {}),
      },
      async (given, context) => {
        let replied: Replied | undefined
        for (;;) {
          const caller = callerOf(context, introducedTo(server), replied)
          const run = () => call(serving, tool, given, {caller, questions})
          const result = await calls.run(tool.change !== undefined, run)
          if (!(result instanceof QuestionToAsk)) return result
          // Not within the call, because others wait for its end.
          const {question} = result
          if (isOfNewerEra(context)) return questionResult(question, seal, redactor())
          replied = {handle: question.handle, reply: await askClient(context, question, redactor())}
        }
      },
    )
  }
  const reading: Reading = read => calls.run(false, () => readResource(serving, read))
  registerResources(server, desk, redactor, reading)
  registerPrompts(server)
  return server
}

/**
 * Returns a schema that only describes. The tools check their arguments themselves, so that a mistake has the form of every other
 * error; what they return is checked by the tests.
 */
function unchecked(schema: () => object): StandardSchemaWithJSON {
  const json = () => ({...schema()})
  return {
    '~standard': {
      version: 1,
      vendor: 'bookctl',
      validate: value => ({value}),
      jsonSchema: {input: json, output: json},
    },
  }
}

/** What the client said of itself when it connected, in the older era; in the newer, each request says it. */
function introducedTo({server}: McpServer) {
  return {client: server.getClientVersion(), capabilities: server.getClientCapabilities()}
}

interface Calling {
  readonly caller: AskingCaller
  readonly questions: OpenQuestions
}

/** Runs a tool. Every failure is a result. Returns the question if a person has to answer one first. */
async function call({desk, log, redactor}: Serving, tool: Tool, given: unknown, calling: Calling) {
  const {caller, questions} = calling
  const started = performance.now()
  const report = (level: 'info' | 'warn', code: string) => {
    const ms = Math.round(performance.now() - started)
    const {program} = caller
    log.write({level, event: 'called', message: `${tool.name}: ${code}`, tool: tool.name, code, ms, program})
  }
  try {
    const result = resultOf(await runAsking(tool, given, desk, caller), redactor())
    report('info', 'ok')
    return result
  } catch (error) {
    if (error instanceof QuestionToAsk) {
      const {question, approveCommand} = error
      if (questions.open(question.handle)) {
        report('info', 'asked')
        return error
      }
      report('info', 'approval_needed')
      return errorResult(alreadyAsked(question, approveCommand), redactor())
    }
    const {kind, details} = asFailure(error)
    report(kind === 'unexpected' ? 'warn' : 'info', details.code)
    if (kind === 'unexpected' && process.env.BOOKCTL_DEBUG && error instanceof Error)
      log.writeText(redactStack(error.stack ?? ''), 'error')
    return errorResult(error, redactor())
  } finally {
    // Only now, because calls that have no reply may share the work until here.
    if (caller.repliesTo !== undefined) questions.answered(caller.repliesTo)
  }
}

/**
 * Runs a tool with a caller who may bring a reply. Calls of one handle share their work, so another call that brings none may have
 * asked for both; then this one is tried again with its reply.
 */
async function runAsking(tool: Tool, given: unknown, desk: Desk, caller: AskingCaller): Promise<Answer> {
  for (;;) {
    try {
      return await tool.run(given, desk, caller)
    } catch (error) {
      if (!(error instanceof QuestionToAsk) || !caller.hasReplyAbout(error.question.handle)) throw error
    }
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

/** Runs calls a few at a time, and knows which of them may be changing something at the service. */
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

  /** Resolves when no call is running that may change something. */
  async whenChangesEnd(): Promise<void> {
    await Promise.allSettled(this.changing)
  }
}
