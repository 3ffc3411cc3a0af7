/**
 * Asks a person for approval in the client (elicitation), in both eras of the protocol. A call that has to ask ends with a result
 * that holds the question; the client puts it to the person and calls again with the reply. In the older era the client is asked
 * by a request during the call.
 */
import {randomBytes} from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type Implementation,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type {Redactor} from '../../../api/redact/redact.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Caller} from './booking.js'
import type {Question, Reply} from './consent.js'

/** The name of the only question of a call. */
const APPROVAL = 'approval'
const REPLIES = {accept: 'approved', decline: 'declined', cancel: 'closed'} as const
const MOST_PROGRAM_LENGTH = 100

/** What a reply belongs to: sealed by this process, so that a client cannot answer a question that was not asked. */
interface Asked {
  readonly handle: string
}

/** Seals what a client passes back with a reply. A key of this process is enough, because a client is served by one process. */
export const createSeal = () => createRequestStateCodec<Asked>({key: randomBytes(32), ttlSeconds: 15 * 60})
export type Seal = ReturnType<typeof createSeal>

/** Thrown by `ask` where the reply has to come with another call. */
export class QuestionToAsk extends Error {
  constructor(
    readonly question: Question,
    readonly approveCommand: string,
  ) {
    super('a person has to be asked first')
  }
}

/**
 * Not in the interface: how long a question that nobody answers keeps other calls of its handle from asking. The client may have lost
 * it, and does not say so.
 */
const OPEN_MILLISECONDS = 60_000

/** The questions that the client has not answered yet, so that a person is asked once however many calls there are. */
export class OpenQuestions {
  /** When each question was put, by its handle, oldest first. */
  private readonly askedAt = new Map<string, number>()

  constructor(private readonly now: () => number = Date.now) {}

  /** Returns whether a question about `handle` may be put, and counts it as open. */
  open(handle: string): boolean {
    const now = this.now()
    for (const [other, askedAt] of this.askedAt)
      if (now - askedAt >= OPEN_MILLISECONDS) this.askedAt.delete(other)
    if (this.askedAt.has(handle)) return false
    this.askedAt.set(handle, now)
    return true
  }

  /** Ends the question about `handle`, if there is one, because it was answered. */
  answered(handle: string): void {
    this.askedAt.delete(handle)
  }
}

/** What the protocol knows of the client before this request, in the older era. */
interface Introduced {
  readonly client: Implementation | undefined
  readonly capabilities: ClientCapabilities | undefined
}

interface Envelope {
  readonly [CLIENT_INFO_META_KEY]?: Implementation
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities
}

/** The caller of one request. */
export interface AskingCaller extends Caller {
  /** The handle that the request brought a reply about. */
  readonly repliesTo: string | undefined
  /** Whether the request brought a reply about `handle` that no question has taken yet. */
  hasReplyAbout(handle: string): boolean
}

/** A reply, with the handle that it is about. */
export interface Replied {
  readonly reply: Reply
  readonly handle: string
}

/** Returns the caller of a request, with the reply that the request brings, or that the client gave meanwhile in the older era. */
export function callerOf({mcpReq}: ServerContext, introduced: Introduced, replied?: Replied): AskingCaller {
  // In the newer era each request says who it is from; the SDK has checked the form.
  const envelope = mcpReq.envelope as Envelope | undefined
  const client = envelope?.[CLIENT_INFO_META_KEY] ?? introduced.client
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? introduced.capabilities
  let reply = replied ?? replyIn(mcpReq)
  return {
    program: sanitizeLine(client ? `${client.name} ${client.version}` : 'unknown', MOST_PROGRAM_LENGTH),
    repliesTo: reply?.handle,
    hasReplyAbout: handle => reply?.handle === handle,
    async ask(question, approveCommand) {
      const found = reply
      if (found?.handle === question.handle) {
        reply = undefined
        return found.reply
      }
      if (!canAsk(capabilities)) return 'cannot_ask'
      throw new QuestionToAsk(question, approveCommand)
    },
  }
}

/** Returns the reply that a request brings, in the newer era. */
function replyIn({inputResponses, requestState}: ServerContext['mcpReq']): Replied | undefined {
  const response = inputResponse(inputResponses, APPROVAL)
  const asked = requestState<Asked>()
  if (response.kind !== 'elicit' || asked === undefined) return undefined
  const reply: Reply = REPLIES[response.action]
  return {reply, handle: asked.handle}
}

/** Reports whether the client can show a form. One that names no mode can. */
function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const {elicitation} = capabilities ?? {}
  if (elicitation === undefined) return false
  return elicitation.form !== undefined || Object.keys(elicitation).length === 0
}

/** The form has no fields: to accept it is to approve. `redactor` knows the secrets of requests, which a service may have echoed. */
function formOf({title, lines}: Question, redactor: Redactor) {
  const message = [title, '', ...lines].map(redactor.known).join('\n')
  return {mode: 'form' as const, message, requestedSchema: {type: 'object' as const, properties: {}}}
}

/** Returns the result of a call that has to ask first, in the newer era. */
export async function questionResult(question: Question, seal: Seal, redactor: Redactor) {
  return inputRequired({
    inputRequests: {[APPROVAL]: inputRequired.elicit(formOf(question, redactor))},
    requestState: await seal.mint({handle: question.handle}),
  })
}

/** Not in the interface: a person may take a while. */
const ANSWER_MILLISECONDS = 10 * 60_000

/**
 * Asks in the older era, by a request to the client during the call. Returns `cannot_ask` if the client fails, gives no answer, or
 * one that is none, so that the result says how else it is approved.
 */
export async function askClient(
  {mcpReq}: ServerContext,
  question: Question,
  redactor: Redactor,
): Promise<Reply> {
  const options = {timeout: ANSWER_MILLISECONDS, signal: mcpReq.signal}
  try {
    const params = formOf(question, redactor)
    const {action} = await mcpReq.send({method: 'elicitation/create', params}, options)
    return REPLIES[action]
  } catch {
    return 'cannot_ask'
  }
}

/** Reports whether a request is of the newer era, in which the client asks between two calls. */
export function isOfNewerEra({mcpReq}: ServerContext): boolean {
  return mcpReq.envelope !== undefined
}
