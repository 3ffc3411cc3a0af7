/** The help topic `scopes`: what each scope allows (§5), and which scopes each command needs. */
import {
  BOOKING_SCOPES,
  type CalledOperations,
  OPERATIONS,
  type OperationName,
  SCOPES,
  type Scope,
} from '../../../contract/operations.js'
import type {Part, Row} from './topics.js'

const INTRODUCTION = `
The operator of the service grants scopes to a client, and a token has those that were requested and granted. \`bookctl login\` requests ${BOOKING_SCOPES.join(', ')}; --scope and BOOKCTL_SCOPES name others. Without a login each command requests the scope that it needs. \`bookctl doctor\` shows which are granted.`

const NOTES = `
\`bookctl api\` needs the scope of the path that it calls, or those of its --scope. Brackets say what a scope is needed for that the command does not always need. All other commands need none.

Without the scope that it needs, a command ends with 4 and says which one is missing. Only the operator can grant it. The scopes of BOOKCTL_TOKEN are those it was requested with, and it does not say them.`

/** A command as oclif describes it, with the property `operations` that oclif copies from the class. */
interface Listed {
  readonly id: string
  readonly operations?: CalledOperations
}

export function scopesTopic(commands: readonly Listed[]): readonly Part[] {
  const rows = commands.flatMap(({id, operations = {}}): Row[] => {
    const needs = needsOf(operations)
    return needs === '' ? [] : [[id.replaceAll(':', ' '), needs]]
  })
  return [INTRODUCTION, {rows: Object.entries(SCOPES)}, {heading: 'The scopes of each command', rows}, NOTES]
}

/**
 * Returns the scopes that operations need: first those always needed, then the others, with their purpose in brackets.
 */
function needsOf(operations: CalledOperations): string {
  const times = new Map<Scope, Set<string>>()
  for (const [name, when] of Object.entries(operations)) {
    const {scope} = OPERATIONS[name as OperationName]
    if (scope !== null) times.set(scope, (times.get(scope) ?? new Set()).add(when))
  }
  const always = [...times].filter(([, when]) => when.has('')).map(([scope]) => scope)
  const others = [...times].filter(([, when]) => !when.has(''))
  const atTimes = others.map(([scope, when]) => `${scope} (${[...when].join(', ')})`)
  return [...always, ...atTimes].join(', ')
}
