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

/** Their requests go to another than the service: its own sandbox, or an address that the user names. */
export const ELSEWHERE: readonly string[] = [
  'demo',
  'sandbox:start',
  'webhooks:events:replay',
  'webhooks:probe',
]
