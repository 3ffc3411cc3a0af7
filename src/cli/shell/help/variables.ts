/** Every environment variable that is read: the one table behind `help environment` and `version --verbose`. */

export interface Variable {
  readonly name: string
  /** What it does, one line. */
  readonly meaning: string
  /** The flag that overrides it. */
  readonly flag?: string
  /** Its value is never shown. */
  readonly isSecret?: boolean
  readonly group: 'service' | 'behaviour' | 'network' | 'system'
}

export const VARIABLE_GROUPS: Readonly<Record<Variable['group'], string>> = {
  service: 'Service and credentials; these are enough without a login and without a file',
  behaviour: 'Behaviour',
  network: 'Network',
  system: 'System variables',
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
    meaning: 'client secret, sk_test_… or sk_live_…; never a flag',
  },
  {
    group: 'service',
    name: 'BOOKCTL_TOKEN',
    isSecret: true,
    meaning: 'an access token, used instead of client id and secret; never renewed',
  },
  {
    group: 'service',
    name: 'BOOKCTL_SCOPES',
    meaning:
      'scopes to request, separated by spaces or commas, instead of those of the profile (default: those a command needs)',
  },
  {
    group: 'service',
    name: 'BOOKCTL_PROFILE',
    flag: '--profile',
    meaning: 'profile to use; credentials in the environment override it, unless --profile is given',
  },
  {
    group: 'service',
    name: 'BOOKCTL_WEBHOOK_SECRET',
    isSecret: true,
    meaning: 'signing secrets of webhooks, separated by spaces',
  },
  {group: 'behaviour', name: 'BOOKCTL_CONFIG_DIR', meaning: 'configuration directory'},
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
    meaning: 'set to 1: questions as numbered lines, without redrawing',
  },
  {
    group: 'behaviour',
    name: 'BOOKCTL_COLUMNS',
    meaning: 'width of the terminal; overrides COLUMNS',
  },
  {
    group: 'behaviour',
    name: 'BOOKCTL_NO_HISTORY',
    meaning: 'set: do not keep the last requests (method, address, status) for support bundle',
  },
  {group: 'behaviour', name: 'BOOKCTL_DEBUG', meaning: 'set: an internal error shows where it happened'},
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
    meaning: 'file of additional certificates to trust (PEM)',
  },
  {
    group: 'network',
    name: 'HTTPS_PROXY',
    meaning: 'proxy for https; lower case overrides upper case; this machine is always reached directly',
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
  {group: 'system', name: 'LC_ALL', meaning: 'its country, as in tr_TR, is the first nationality offered'},
  {group: 'system', name: 'LANG', meaning: 'as LC_ALL, where that is not set'},
  {group: 'system', name: 'SHELL', meaning: 'shell for which `autocomplete` prints instructions'},
  {
    group: 'system',
    name: 'XDG_CONFIG_HOME',
    meaning: 'parent of the configuration directory (default ~/.config)',
  },
  {
    group: 'system',
    name: 'XDG_CACHE_HOME',
    meaning: 'where Node 22 and later keep compiled code, in bookctl/node (default ~/.cache)',
  },
  {group: 'system', name: 'LOCALAPPDATA', meaning: 'on Windows, used instead of ~/.config and ~/.cache'},
  {
    group: 'system',
    name: 'DEBUG',
    meaning: 'not honoured, like NODE_DEBUG: packages would print requests with their secrets',
  },
  {group: 'system', name: 'NODE_DEBUG', meaning: 'not honoured, see DEBUG'},
]
