/** What is mutated, and the tests each group of files is held to: those a reader would look into, none of which starts a process of ours. */

export interface Group {
  readonly name: string
  readonly files: readonly string[]
  readonly tests: readonly string[]
  /** Whether not one mutant may live: these files decide whom we believe. */
  readonly isStrict?: boolean
}

const tests = (room: string, ...names: readonly string[]) => names.map(name => `test/${room}/${name}.test.ts`)

export const GROUPS: readonly Group[] = [
  {
    name: 'signature',
    isStrict: true,
    files: [
      'signature/signature',
      'signature/event',
      'signature/headers',
      'diagnose/check',
      'receive/receiver',
    ].map(file => `src/webhooks/${file}.ts`),
    tests: tests('webhooks', 'signature', 'vectors', 'check', 'arrival', 'event', 'headers', 'long-body'),
  },
  {
    name: 'retry',
    files: ['src/api/http/retry.ts', 'src/api/http/send.ts'],
    tests: tests('api', 'retry-table', 'send'),
  },
  {
    name: 'journal',
    files: ['src/state/journal.ts', 'src/state/journal-verdict.ts'],
    tests: [...tests('state', 'journal', 'journal-verdict', 'state', 'forget'), ...tests('api', 'reserve')],
  },
  {
    name: 'tokens',
    files: [
      ...['src/api/auth/tokens.ts', 'src/api/auth/token-request.ts'],
      ...['src/state/token-store.ts', 'src/state/tokens-database.ts'],
    ],
    tests: [
      ...tests('api', 'token-request', 'token-choice', 'tokens'),
      ...tests('state', 'token-store', 'state', 'forget'),
    ],
  },
  {
    name: 'redaction',
    files: ['redact', 'known-values', 'names', 'secrets-in'].map(file => `src/api/redact/${file}.ts`),
    tests: tests('api', 'redact', 'secrets-in', 'trace', 'echoed-secrets'),
  },
  {
    name: 'erasing',
    files: ['src/storage/erasing.ts'],
    tests: [...tests('storage', 'erasing', 'database'), ...tests('state', 'forget')],
  },
  {
    name: 'sanitiser',
    files: ['src/contract/foreign-text.ts'],
    tests: tests('contract', 'foreign-text'),
  },
]
