/** The commands that are not in the fault matrix, and why. */

/** Commands that ask the service nothing; typed like this they succeed, and no request is seen. */
export const SILENT: Readonly<Record<string, string>> = {
  autocomplete: 'autocomplete bash',
  'config:get': 'config get currency',
  'config:list': 'config list',
  'config:path': 'config path',
  'config:set': 'config set currency EUR',
  'config:unset': 'config unset currency',
  journal: 'journal',
  'journal:forget': 'journal forget none',
  'profiles:list': 'profiles list',
  'profiles:use': 'profiles use none',
  'sandbox:list': 'sandbox list',
  'sandbox:openapi': 'sandbox openapi',
  'webhooks:events:export': 'webhooks events export',
  'webhooks:events:list': 'webhooks events list',
  'webhooks:events:prune': 'webhooks events prune --older-than 1d',
  'webhooks:events:show': 'webhooks events show evt_none',
  'webhooks:sign': 'webhooks sign body.json --secret-file signing.txt',
  'webhooks:verify': 'webhooks verify body.json --signature t=1,v1=aa --secret-file signing.txt',
}

/** Their requests go to an address that the user names; receivers.ts has their faults. */
export const TO_RECEIVERS: readonly string[] = ['webhooks:events:replay', 'webhooks:probe']

/** `sandbox start` is asked, and its deliveries have tests of their own; `demo` asks a sandbox in its own process. */
export const ELSEWHERE: readonly string[] = ['demo', 'sandbox:start']
