/** The help topics: what `bookctl help TOPIC` explains beside the commands. Each text is loaded when it is asked for. */

export interface Topic {
  /** One line for the list of topics. */
  readonly summary: string
  /** The text: paragraphs and blocks, with `width` columns to keep to. */
  text(width: number): Promise<string>
}

export const TOPICS: Readonly<Record<string, Topic>> = {
  environment: {
    summary: 'The environment variables, and what goes before what.',
    text: async width => (await import('./environment.js')).environmentText(width),
  },
  'exit-codes': {
    summary: 'How commands end, for scripts.',
    text: async width => (await import('./exit-codes.js')).exitCodesText(width),
  },
  output: {
    summary: 'Tables, pipes, JSON, columns, queries.',
    text: async width => (await import('./output.js')).outputText(width),
  },
  sandbox: {
    summary: 'Starting it, moving its time, payments, bad days.',
    text: async width => (await import('./sandbox.js')).sandboxText(width),
  },
  webhooks: {
    summary: 'Receiving events, and why a signature fails.',
    text: async width => (await import('./webhooks.js')).webhooksText(width),
  },
}
