/** The flags every command takes, before or after its name. */
import * as Flags from '@oclif/core/flags'
import type {InferredFlags} from '@oclif/core/interfaces'
import {checkWritable} from '../input/files.js'
import {checkedFlag} from '../input/flags.js'
import {checkProxy} from '../input/proxy.js'
import {checkExpression} from '../terminal/output.js'
import {FORMATS} from '../terminal/result.js'

const helpGroup = 'GLOBAL'

export const globalFlags = {
  profile: Flags.string({helpGroup, helpValue: 'NAME', env: 'BOOKCTL_PROFILE', summary: 'profile to use'}),
  'base-url': Flags.string({
    helpGroup,
    helpValue: 'URL',
    env: 'BOOKCTL_BASE_URL',
    summary: 'address of the service, ending in v1',
  }),
  json: Flags.boolean({helpGroup, summary: 'print one JSON document, also for a failure'}),
  format: Flags.string({helpGroup, options: FORMATS, summary: 'form of the result'}),
  columns: Flags.string({helpGroup, helpValue: 'A,B', summary: 'columns to print, in this order'}),
  query: checkedFlag(checkExpression)({
    helpGroup,
    helpValue: 'JMESPATH',
    summary: 'print what this JMESPath finds in the JSON result',
  }),
  quiet: Flags.boolean({helpGroup, summary: 'print identifiers only'}),
  verbose: Flags.boolean({
    helpGroup,
    char: 'v',
    summary: 'show each request on stderr, secrets redacted; -vv also headers and bodies',
  }),
  'no-color': Flags.boolean({helpGroup, summary: 'no colour; NO_COLOR does the same'}),
  'no-input': Flags.boolean({helpGroup, summary: 'never ask; BOOKCTL_NO_INPUT and CI do the same'}),
  timeout: Flags.integer({
    helpGroup,
    helpValue: 'SECONDS',
    min: 1,
    max: 3600,
    env: 'BOOKCTL_TIMEOUT',
    summary: 'longest time for one call, retries included',
  }),
  'ca-file': Flags.string({
    helpGroup,
    helpValue: 'FILE',
    env: 'BOOKCTL_CA_FILE',
    summary: "certificates (PEM) to trust beside the system's",
  }),
  proxy: checkedFlag(checkProxy)({
    helpGroup,
    helpValue: 'URL',
    summary: 'proxy to take in place of HTTPS_PROXY and HTTP_PROXY; this machine is reached without',
  }),
  insecure: Flags.boolean({helpGroup, summary: 'do not check certificates of servers on this machine'}),
  'print-curl': Flags.boolean({
    helpGroup,
    summary: 'show each request on stderr as a curl line, secrets as variables',
  }),
  har: checkedFlag(checkWritable)({
    helpGroup,
    helpValue: 'FILE',
    summary: 'write the exchanges to a HAR file, secrets redacted',
  }),
}

/** What the words of their values are called to the machine, see `candidates` of a command. */
export const GLOBAL_CANDIDATES = {profile: 'profiles'} as const

export type GlobalFlags = InferredFlags<typeof globalFlags>

const typed = (type: 'boolean' | 'option') =>
  Object.entries(globalFlags)
    .filter(([, flag]) => flag.type === type)
    .map(([name]) => `--${name}`)

/** Names, as typed, of the global flags that take no value. */
export const GLOBAL_SWITCHES: ReadonlySet<string> = new Set(['-v', '-vv', ...typed('boolean')])

/** Names, as typed, of the global flags that take a value. */
export const GLOBAL_VALUES: ReadonlySet<string> = new Set(typed('option'))
