/** Everything that makes a command say more: its own switches, and those of Node and of packages. */

export interface Switch {
  readonly name: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly asksForStacks?: boolean
}

const flag = (...argv: string[]): Switch => ({name: argv.join(' '), argv, env: {}})
const variable = (name: string, value: string, asksForStacks = false): Switch => ({
  ...{name: `${name}=${value}`, argv: [], env: {[name]: value}},
  asksForStacks,
})

const TRACES =
  '--trace-warnings --trace-deprecation --trace-uncaught --trace-exit --trace-sigint --stack-trace-limit=200'

/** All of them together. */
export const ALL: Switch = {
  name: 'all',
  argv: ['-vv', '--print-curl', '--har', 'trace.har'],
  env: {BOOKCTL_DEBUG: '1', NODE_DEBUG: '*', DEBUG: '*', NODE_OPTIONS: TRACES},
  asksForStacks: true,
}

export const SWITCHES: readonly Switch[] = [
  ...[flag('-v'), flag('-vv'), flag('--print-curl'), flag('--har', 'trace.har')],
  ...[variable('BOOKCTL_DEBUG', '1', true), variable('NODE_DEBUG', '*'), variable('DEBUG', '*')],
  {name: 'NODE_OPTIONS=--trace-*', argv: [], env: {NODE_OPTIONS: TRACES}, asksForStacks: true},
  ALL,
]
