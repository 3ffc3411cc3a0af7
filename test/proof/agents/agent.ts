/**
 * A client of `bookctl mcp` that keeps no rule: it writes any bytes, calls many tools at once, and goes on with another process when
 * one is killed. It speaks the protocol of 2025, in which a question of the server is a request to the client.
 */
import type {ChildProcess} from 'node:child_process'
import type {Finished} from '../../support/bookctl.js'
import {type Home, parse} from '../shared/scene.js'

/** What a person answers to a question: nothing is decided by `cancel`, and `never` leaves the question open. */
export type Answer = 'accept' | 'decline' | 'cancel' | 'never'

export interface AgentOptions {
  readonly flags: readonly string[]
  readonly env?: Record<string, string>
  /** Answers a question of the server; null if this client cannot ask. */
  readonly answer: ((message: string) => Answer) | null
}

export interface Called {
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape
  readonly document: any
  readonly isError: boolean
  /** The code of the error, of the tool or of the protocol; undefined for a result. */
  readonly code: string | undefined
}

interface Message {
  readonly id?: number | string
  readonly method?: string
  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape
  readonly params?: any
  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape
  readonly result?: any
  readonly error?: {readonly code: number; readonly message: string}
}

export class Agent {
  /** Everything that came on stdout. */
  text = ''
  /** The questions that came. */
  readonly questions: string[] = []
  private rest = ''
  private hasEnded = false
  private readonly waiting = new Map<number, (message: Message | undefined) => void>()
  private count = 0

  private constructor(
    private readonly child: ChildProcess,
    readonly ended: Promise<Finished>,
    private readonly answer: AgentOptions['answer'],
  ) {
    child.stdout?.on('data', (piece: string) => this.take(piece))
    void ended.finally(() => {
      this.hasEnded = true
      for (const resolve of this.waiting.values()) resolve(undefined)
      this.waiting.clear()
    })
  }

  /** Starts a server. Returns undefined if it ends before it has answered. */
  static async start(home: Home, {flags, env = {}, answer}: AgentOptions): Promise<Agent | undefined> {
    let child: ChildProcess | undefined
    const ended = home.spawn(['mcp', ...flags], {
      env,
      stdin: null,
      limitMilliseconds: null,
      onStart: started => {
        child = started
      },
    })
    const agent = new Agent(child as unknown as ChildProcess, ended, answer)
    const answered = await agent.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: answer ? {elicitation: {}} : {},
      clientInfo: {name: 'malicious', version: '6.6.6'},
    })
    if (answered === undefined) return undefined
    agent.send({jsonrpc: '2.0', method: 'notifications/initialized'})
    return agent
  }

  /** Sends a request. Resolves with undefined if the server ends before it has answered. */
  request(method: string, params: object = {}): Promise<Message | undefined> {
    if (this.hasEnded) return Promise.resolve(undefined)
    const id = ++this.count
    const answered = new Promise<Message | undefined>(resolve => this.waiting.set(id, resolve))
    this.send({jsonrpc: '2.0', id, method, params})
    return answered
  }

  /** Calls a tool. Resolves with undefined if the server ends before it has answered. */
  async call(name: string, args: unknown = {}): Promise<Called | undefined> {
    const message = await this.request('tools/call', {name, arguments: args})
    if (message === undefined) return undefined
    if (message.error) return {document: message.error, isError: true, code: `rpc ${message.error.code}`}
    const {structuredContent: document, content, isError = false} = message.result
    if (JSON.stringify(parse(content?.[0]?.text)) !== JSON.stringify(document))
      throw new Error(`${name}: the text differs from the structured result`)
    return {document, isError, code: isError ? document?.error?.code : undefined}
  }

  send(message: object): void {
    this.write(`${JSON.stringify(message)}\n`)
  }

  write(bytes: string | Uint8Array): void {
    this.child.stdin?.write(bytes)
  }

  kill(): Promise<Finished> {
    this.child.kill('SIGKILL')
    return this.ended
  }

  get pid(): number | undefined {
    return this.child.pid
  }

  /** Closes the input, and waits for the end of the server. */
  close(): Promise<Finished> {
    this.child.stdin?.end()
    return this.ended
  }

  /** Returns what is wrong with what came on stdout: only lines of the protocol may be there. A killed server may cut the last. */
  strays(): string[] {
    const lines = this.text.split('\n').slice(0, -1)
    const strays = lines.filter(line => parse(line)?.jsonrpc !== '2.0')
    return strays.map(line => `not of the protocol on stdout: ${line.slice(0, 200)}`)
  }

  private take(piece: string): void {
    this.text += piece
    const lines = `${this.rest}${piece}`.split('\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines) this.hear(parse(line) ?? {})
  }

  private hear(message: Message): void {
    const {id, method, params} = message
    if (method === 'elicitation/create' && id !== undefined) {
      this.questions.push(String(params?.message))
      const action = this.answer?.(String(params?.message)) ?? 'cancel'
      const result = action === 'accept' ? {action, content: {}} : {action}
      if (action !== 'never') this.send({jsonrpc: '2.0', id, result})
    }
    if (method !== undefined) return
    this.waiting.get(Number(id))?.(message)
    this.waiting.delete(Number(id))
  }
}
