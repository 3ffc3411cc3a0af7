/** The help topics: what `bookctl help TOPIC` explains beside the commands. Each text is loaded when it is asked for. */
import type {HelpFormatter} from '@oclif/core/help'

export interface Topic {
  /** One line for the list of topics. */
  readonly summary: string
  /** The text: paragraphs and blocks, laid out by `help`. */
  text(help: HelpFormatter): Promise<string>
}

export const TOPICS: Readonly<Record<string, Topic>> = {
  environment: {
    summary: 'The environment variables, and what goes before what.',
    text: async help => (await import('./environment.js')).environmentText(help),
  },
  'exit-codes': {
    summary: 'How commands end, for scripts.',
    text: async help => (await import('./exit-codes.js')).exitCodesText(help),
  },
  output: {
    summary: 'Tables, pipes, JSON, columns, queries.',
    text: async help => (await import('./output.js')).outputText(help),
  },
  sandbox: {
    summary: 'Starting it, moving its time, payments, bad days.',
    text: async help => (await import('./sandbox.js')).sandboxText(help),
  },
  webhooks: {
    summary: 'Receiving events, and why a signature fails.',
    text: async help => (await import('./webhooks.js')).webhooksText(help),
  },
}
