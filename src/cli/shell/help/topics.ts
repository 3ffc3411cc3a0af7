/** The texts of the help topics: paragraphs and blocks, each loaded when it is asked for. */
import type {HelpFormatter} from '@oclif/core/help'
import type {HELP_TOPICS} from '../help-topics.js'

const TEXTS: Readonly<Record<keyof typeof HELP_TOPICS, (help: HelpFormatter) => Promise<string>>> = {
  environment: async help => (await import('./topic-environment.js')).environmentText(help),
  'exit-codes': async help => (await import('./topic-exit-codes.js')).exitCodesText(help),
  output: async help => (await import('./topic-output.js')).outputText(help),
  sandbox: async help => (await import('./topic-sandbox.js')).sandboxText(help),
  webhooks: async help => (await import('./topic-webhooks.js')).webhooksText(help),
}

export async function topicText(name: keyof typeof HELP_TOPICS, help: HelpFormatter): Promise<string> {
  return TEXTS[name](help)
}
