/** Everything by which one can ask to be told more: the tool's own switches, and those of Node and of packages. */

export interface Switch {
  readonly name: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Whether stack traces are what it asks for. */
  readonly asksForStacks?: boolean
}

const flag = (...argv: string[]): Switch => ({name: argv.join(' '), argv, env: {}})
const variable = (name: string, value: string, asksForStacks = false): Switch => ({
  ...{name: `${name}=${value}`, argv: [], env: {[name]: value}},
  asksForStacks,
})

/** Node's own traces, as far as they need no other program to read them; of a report, see `plain` in leak-special.ts. */
const TRACES =
  '--trace-warnings --trace-deprecation --trace-uncaught --trace-exit --trace-sigint --stack-trace-limit=200'

const OWN = {argv: ['-vv', '--print-curl', '--har', 'trace.har'], env: {BOOKCTL_DEBUG: '1'}}

/** The last are all of them together. */
export const SWITCHES: readonly Switch[] = [
  ...[flag('-v'), flag('-vv'), flag('--print-curl'), flag('--har', 'trace.har')],
  ...[variable('BOOKCTL_DEBUG', '1', true), variable('NODE_DEBUG', '*'), variable('DEBUG', '*')],
  {name: 'NODE_OPTIONS=--trace-*', argv: [], env: {NODE_OPTIONS: TRACES}, asksForStacks: true},
  {
    name: 'all',
    argv: OWN.argv,
    env: {...OWN.env, NODE_DEBUG: '*', DEBUG: '*', NODE_OPTIONS: TRACES},
    asksForStacks: true,
  },
]

export const ALL = SWITCHES.at(-1) as Switch
