/** An assistant's client: the official client of the protocol, with `bookctl mcp` as a process of its own on the other end. */
import {Client, type ClientOptions} from '@modelcontextprotocol/client'
import {StdioClientTransport} from '@modelcontextprotocol/client/stdio'
import {onTestFinished} from 'vitest'
import {ENTRY, type Home} from './bookctl.js'

/** The eras of the protocol: with a handshake (2025), and without (2026). */
export const ERAS = ['2025-11-25', '2026-07-28'] as const
export type Era = (typeof ERAS)[number]

interface AgentOptions {
  readonly era?: Era
  readonly capabilities?: ClientOptions['capabilities']
  readonly env?: Record<string, string>
}

/** Starts `bookctl mcp ...flags` in `home`, connected to a client that is closed when the test ends. */
export async function startAgent(home: Home, flags: readonly string[] = [], options: AgentOptions = {}) {
  const {era = '2026-07-28', capabilities = {}, env = {}} = options
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [ENTRY, 'mcp', ...flags],
    env: {...definedIn(home.surroundings()), ...home.env, ...env},
    cwd: home.directory,
    stderr: 'pipe',
  })
  let stderr = ''
  transport.stderr?.on('data', piece => (stderr += piece))
  const mode = era === '2025-11-25' ? 'legacy' : {pin: era}
  const client = new Client(
    {name: 'test-client', version: '1.2.3'},
    {capabilities, versionNegotiation: {mode}},
  )
  onTestFinished(() => client.close())
  await client.connect(transport)
  return {
    client,
    transport,
    stderr: () => stderr,
    /** Calls a tool and returns its structured result; the text must be the same. */
    async call(name: string, args: object = {}): Promise<Called> {
      const result = await client.callTool({name, arguments: {...args}})
      const [text] = result.content as {readonly text: string}[]
      const document = JSON.parse(text?.text ?? '')
      if (JSON.stringify(document) !== JSON.stringify(result.structuredContent))
        throw new Error(`${name}: the text differs from the structured result`)
      return {document, isError: result.isError === true, content: result.content as Content[]}
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of a result
type Document = any

interface Called {
  readonly document: Document
  readonly isError: boolean
  readonly content: readonly Content[]
}

type Content = {readonly type: string} & Record<string, unknown>

function definedIn(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}
