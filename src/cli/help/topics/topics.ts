/** The texts of the help topics: paragraphs and blocks, each loaded when it is asked for. */
import type {HelpFormatter} from '@oclif/core/help'
import type {HELP_TOPICS} from '../../usage/help-topics.js'

const TEXTS: Readonly<Record<keyof typeof HELP_TOPICS, (help: HelpFormatter) => Promise<string>>> = {
  environment: async help => (await import('./environment.js')).environmentText(help),
  'exit-codes': async help => (await import('./exit-codes.js')).exitCodesText(help),
  output: async help => (await import('./output.js')).outputText(help),
  sandbox: async help => (await import('./sandbox.js')).sandboxText(help),
  webhooks: async help => (await import('./webhooks.js')).webhooksText(help),
}

export async function topicText(name: keyof typeof HELP_TOPICS, help: HelpFormatter): Promise<string> {
  return TEXTS[name](help)
}
