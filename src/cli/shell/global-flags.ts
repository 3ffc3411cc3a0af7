/** The flags that every command accepts, before or after its name. */
import type {Command} from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'
import type {InferredFlags} from '@oclif/core/interfaces'
import {checkGiven, checkProxy, TIMEOUT_LIMITS} from '../input/checks.js'
import {checkWritable} from '../input/files.js'
import {checkedFlag} from '../input/flags.js'
import {SETTING_VARIABLES} from '../session/setting-variables.js'
import {checkExpression} from '../terminal/query.js'
import {FORMATS} from '../terminal/result.js'

export const globalFlags = {
  // An empty value comes from an unset variable in a script. Falling back to the default could reach another service,
  // or spend another profile's money.
  profile: checkedFlag(checkGiven)({
    helpValue: 'NAME',
    env: SETTING_VARIABLES.current_profile,
    summary: 'profile to use',
  }),
  'base-url': checkedFlag(checkGiven)({
    helpValue: 'URL',
    env: SETTING_VARIABLES.base_url,
    summary: 'address of the service, ending in v1',
  }),
  json: Flags.boolean({summary: 'print one JSON document, also for errors'}),
  format: Flags.option({options: FORMATS, summary: 'output format'})(),
  columns: Flags.string({helpValue: 'A,B', summary: 'columns to print, in this order'}),
  query: checkedFlag(checkExpression)({
    helpValue: 'JMESPATH',
    summary: 'print the result of this JMESPath query on the JSON',
  }),
  quiet: Flags.boolean({summary: 'print identifiers only'}),
  verbose: Flags.boolean({
    char: 'v',
    summary: 'show each request on stderr, secrets redacted; -vv also headers and bodies',
  }),
  'no-color': Flags.boolean({summary: 'no colour (also NO_COLOR)'}),
  'no-input': Flags.boolean({summary: 'never ask (also BOOKCTL_NO_INPUT and CI)'}),
  timeout: Flags.integer({
    helpValue: 'SECONDS',
    ...TIMEOUT_LIMITS,
    env: SETTING_VARIABLES.timeout,
    summary: "time limit in seconds for the service's answer, retries included; not for printing it",
  }),
  'ca-file': Flags.string({
    helpValue: 'FILE',
    env: SETTING_VARIABLES.ca_file,
    summary: 'file of additional certificates to trust (PEM)',
  }),
  proxy: checkedFlag(checkProxy)({
    helpValue: 'URL',
    summary: 'proxy to use instead of HTTPS_PROXY and HTTP_PROXY; this machine is always reached directly',
  }),
  insecure: Flags.boolean({summary: 'do not check certificates of servers on this machine'}),
  'print-curl': Flags.boolean({
    summary: 'print each request to stderr as a curl command, with variables for secrets',
  }),
  har: checkedFlag(checkWritable)({
    helpValue: 'FILE',
    summary: 'write the exchanges to a HAR file, with secrets redacted',
  }),
}

export type GlobalFlags = InferredFlags<typeof globalFlags>

/** The global flags with their names, in the form of oclif's manifest. */
export const NAMED_FLAGS = Object.entries(globalFlags).map(
  ([name, flag]) => ({...flag, name}) as unknown as Command.Flag.Any,
)

const typed = (wanted: 'boolean' | 'option') =>
  NAMED_FLAGS.filter(({type}) => type === wanted).map(({name}) => `--${name}`)

/** The global flags without a value, as they are typed. */
export const GLOBAL_SWITCHES: ReadonlySet<string> = new Set(['-v', '-vv', ...typed('boolean')])

/** The global flags with a value, as they are typed. */
export const GLOBAL_VALUES: ReadonlySet<string> = new Set(typed('option'))
