/** The help topics: what `bookctl help TOPIC` explains besides the commands, each with its line in the list of topics. */
export const HELP_TOPICS = {
  environment: 'The environment variables, and what goes before what.',
  'exit-codes': 'How commands end, for scripts.',
  output: 'Tables, pipes, JSON, columns, queries.',
  sandbox: 'Starting it, moving its time, payments, bad days.',
  webhooks: 'Receiving events, and why a signature fails.',
} as const

export function isHelpTopic(name: string): name is keyof typeof HELP_TOPICS {
  return Object.hasOwn(HELP_TOPICS, name)
}
