/** Every environment variable that is read: the one table behind `help environment` and `version --verbose`. */

export interface Variable {
  readonly name: string
  /** What it does, one line. */
  readonly meaning: string
  /** The flag that goes before it. */
  readonly flag?: string
  /** Its value is never shown. */
  readonly isSecret?: boolean
  readonly group: 'service' | 'behaviour' | 'network' | 'system'
}

export const VARIABLE_GROUPS: Readonly<Record<Variable['group'], string>> = {
  service: 'Which service, and as whom; these are enough without a login and without a file',
  behaviour: 'How commands behave',
  network: 'The way to the service',
  system: 'Of the system, for all programs',
}

export const VARIABLES: readonly Variable[] = [
  {
    group: 'service',
    name: 'BOOKCTL_BASE_URL',
    flag: '--base-url',
    meaning: 'address of the service, ending in v1',
  },
  {
    group: 'service',
    name: 'BOOKCTL_CLIENT_ID',
    flag: '--client-id',
    meaning: 'client id, which starts with cid_',
  },
  {
    group: 'service',
    name: 'BOOKCTL_CLIENT_SECRET',
    isSecret: true,
    meaning: 'client secret, sk_test_… or sk_live_…; there is no flag for it',
  },
  {
    group: 'service',
    name: 'BOOKCTL_TOKEN',
    isSecret: true,
    meaning: 'a ready access token, in place of client id and secret; never renewed',
  },
  {
    group: 'service',
    name: 'BOOKCTL_SCOPES',
    meaning:
      'scopes to ask for, separated by blanks or commas, in place of those of the profile; unless told, those a command needs',
  },
  {
    group: 'service',
    name: 'BOOKCTL_PROFILE',
    flag: '--profile',
    meaning: 'profile to use; credentials in the environment go before it, unless --profile is typed',
  },
  {
    group: 'service',
    name: 'BOOKCTL_WEBHOOK_SECRET',
    isSecret: true,
    meaning: 'signing secrets of webhooks, several separated by blanks',
  },
  {group: 'behaviour', name: 'BOOKCTL_CONFIG_DIR', meaning: 'where everything is kept'},
  {
    group: 'behaviour',
    name: 'BOOKCTL_NATIONALITY',
    flag: '--nationality',
    meaning: 'country of the guests in searches, two letters',
  },
  {
    group: 'behaviour',
    name: 'BOOKCTL_CURRENCY',
    flag: '--currency',
    meaning: 'currency of the prices in searches, three letters',
  },
  {group: 'behaviour', name: 'BOOKCTL_NO_INPUT', flag: '--no-input', meaning: 'set: never ask a question'},
  {
    group: 'behaviour',
    name: 'BOOKCTL_ACCESSIBLE',
    meaning: 'set to 1: questions as numbered lines, nothing drawn anew',
  },
  {
    group: 'behaviour',
    name: 'BOOKCTL_COLUMNS',
    meaning: 'width of the terminal, in place of COLUMNS and of what it says itself',
  },
  {
    group: 'behaviour',
    name: 'BOOKCTL_NO_HISTORY',
    meaning: 'set: do not keep the last requests (method, address, status) for support bundle',
  },
  {group: 'behaviour', name: 'BOOKCTL_DEBUG', meaning: 'set: an unexpected error shows where it happened'},
  {
    group: 'network',
    name: 'BOOKCTL_TIMEOUT',
    flag: '--timeout',
    meaning: 'seconds for one call, retries included',
  },
  {
    group: 'network',
    name: 'BOOKCTL_CA_FILE',
    flag: '--ca-file',
    meaning: "certificates (PEM) to trust beside the system's",
  },
  {
    group: 'network',
    name: 'HTTPS_PROXY',
    meaning: 'proxy for https; lower case goes before upper case; this machine is always reached directly',
  },
  {group: 'network', name: 'HTTP_PROXY', meaning: 'proxy for http'},
  {
    group: 'network',
    name: 'NO_PROXY',
    meaning: 'hosts reached without the proxy: names, addresses, ranges, separated by commas',
  },
  {
    group: 'network',
    name: 'NODE_EXTRA_CA_CERTS',
    meaning: "Node's own variable for certificates to trust; honoured",
  },
  {
    group: 'network',
    name: 'NODE_TLS_REJECT_UNAUTHORIZED',
    meaning: 'not honoured: certificates are always checked',
  },
  {group: 'system', name: 'CI', meaning: 'set: never ask a question, show no progress'},
  {group: 'system', name: 'NO_COLOR', flag: '--no-color', meaning: 'set: no colour'},
  {group: 'system', name: 'CLICOLOR', meaning: '0: no colour'},
  {group: 'system', name: 'CLICOLOR_FORCE', meaning: 'set, and not 0: colour in a pipe too'},
  {group: 'system', name: 'FORCE_COLOR', meaning: 'set: colour in a pipe too; 0: no colour'},
  {group: 'system', name: 'TERM', meaning: 'dumb: as BOOKCTL_ACCESSIBLE, and no colour'},
  {group: 'system', name: 'COLUMNS', meaning: 'width of the terminal'},
  {group: 'system', name: 'LC_ALL', meaning: 'its country, as in tr_TR, is offered first as nationality'},
  {group: 'system', name: 'LANG', meaning: 'as LC_ALL, where that is not set'},
  {group: 'system', name: 'SHELL', meaning: 'whose completion `autocomplete` explains'},
  {
    group: 'system',
    name: 'XDG_CONFIG_HOME',
    meaning: 'parent of that directory, in place of ~/.config',
  },
  {
    group: 'system',
    name: 'XDG_CACHE_HOME',
    meaning: 'where Node 22 and later keep compiled code, in bookctl/node; ~/.cache when absent',
  },
  {group: 'system', name: 'LOCALAPPDATA', meaning: 'on Windows, in place of ~/.config and ~/.cache'},
  {
    group: 'system',
    name: 'DEBUG',
    meaning: 'not honoured, like NODE_DEBUG: other parts would print requests with their secrets',
  },
  {group: 'system', name: 'NODE_DEBUG', meaning: 'not honoured, see DEBUG'},
]
