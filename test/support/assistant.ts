/**
 * A scripted assistant. It knows what a person told it and what `tools/list` and the results say, and nothing else: it finds a tool
 * by the words of its description, fills the arguments that the schema names, and checks every call and result by the schemas.
 */
import {newValidator} from './json-schema.js'

// biome-ignore lint/suspicious/noExplicitAny: schemas and documents of every shape
type Any = any

interface Listed {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: Any
  readonly outputSchema?: Any
}

export interface Called {
  readonly document: Any
  readonly isError: boolean
}

interface Connected {
  readonly client: {listTools(): Promise<{tools: readonly Listed[]}>}
  call(name: string, args?: object): Promise<Called>
}

/** What a person says about one thing, under the names that the schemas use for it. */
export type Facts = Readonly<Record<string, unknown>>

export class Assistant {
  private constructor(
    private readonly connected: Connected,
    private readonly tools: readonly Listed[],
  ) {}

  static async of(connected: Connected): Promise<Assistant> {
    const {tools} = await connected.client.listTools()
    return new Assistant(connected, tools)
  }

  /**
   * Calls the one tool whose description has all of `words`, with those of `facts` that its arguments have. Fails if the arguments
   * or the result do not fit the schemas, or if a fact that the tool requires is missing.
   */
  async do(words: RegExp, ...facts: readonly Facts[]): Promise<Called> {
    const fitting = this.tools.filter(({title, description}) => words.test(`${title}: ${description}`))
    const [tool] = fitting
    if (tool === undefined || fitting.length > 1)
      throw new Error(`${words} fits ${fitting.map(({name}) => name).join(', ') || 'no tool'}`)
    const args = filled(tool.inputSchema, Object.assign({}, ...facts))
    check(tool.inputSchema, args, `the arguments of ${tool.name}`)
    const called = await this.connected.call(tool.name, args)
    if (tool.outputSchema) check(tool.outputSchema, called.document, `the result of ${tool.name}`)
    return called
  }

  /** Like `do`, and fails if the tool reports an error. */
  async must(words: RegExp, ...facts: readonly Facts[]): Promise<Any> {
    const {document, isError} = await this.do(words, ...facts)
    if (isError) throw new Error(`${words}: ${document.error.code}: ${document.error.message}`)
    return document
  }
}

/** Returns what `facts` say about the properties of a schema, at every depth. */
function filled(schema: Any, facts: Any): Any {
  if (schema?.type === 'array' && Array.isArray(facts)) return facts.map(each => filled(schema.items, each))
  if (schema?.properties === undefined || typeof facts !== 'object' || facts === null) return facts
  const known = Object.entries(schema.properties).filter(([name]) => facts[name] !== undefined)
  return Object.fromEntries(known.map(([name, inner]) => [name, filled(inner, facts[name])]))
}

function check(schema: Any, value: unknown, what: string): void {
  const validator = newValidator()
  const validate = validator.compile(schema)
  if (!validate(value))
    throw new Error(`${what}: ${validator.errorsText(validate.errors)} in ${JSON.stringify(value)}`)
}
