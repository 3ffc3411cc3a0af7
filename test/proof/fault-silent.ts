/** The commands without a row, so that a new command is in one of the lists, or the tests fail. */

/** Commands that ask the service nothing, with what shows it: as they stand they succeed, and no request is seen. */
export const SILENT: Readonly<Record<string, readonly string[]>> = {
  autocomplete: ['autocomplete', 'bash'],
  'config:get': ['config', 'get', 'currency'],
  'config:list': ['config', 'list'],
  'config:path': ['config', 'path'],
  'config:set': ['config', 'set', 'currency', 'EUR'],
  'config:unset': ['config', 'unset', 'currency'],
  journal: ['journal'],
  'journal:forget': ['journal', 'forget', 'none'],
  'profiles:list': ['profiles', 'list'],
  'profiles:use': ['profiles', 'use', 'none'],
  'sandbox:openapi': ['sandbox', 'openapi'],
  'webhooks:events:export': ['webhooks', 'events', 'export'],
  'webhooks:events:list': ['webhooks', 'events', 'list'],
  'webhooks:events:show': ['webhooks', 'events', 'show', 'evt_none'],
  'webhooks:sign': ['webhooks', 'sign', 'body.json', '--secret-file', 'signing.txt'],
  'webhooks:verify': [
    'webhooks',
    'verify',
    'body.json',
    '--signature',
    't=1,v1=aa',
    '--secret-file',
    'signing.txt',
  ],
}

/** Their requests go to an address that the user names: receiver-cell.ts has the faults of that. */
export const TO_RECEIVERS: readonly string[] = ['webhooks:events:replay', 'webhooks:probe']

/**
 * They are asked, and ask nobody but a receiver: `sandbox start` by whoever uses it (its sender has tests of its own), and
 * `demo` asks the sandbox inside its own process, where no network can fail.
 */
export const ELSEWHERE: readonly string[] = ['demo', 'sandbox:start']
