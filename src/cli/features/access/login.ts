/** Flags, environment and answers → what `login` needs. Everything missing is asked for, or listed in one error. */
import {parseBaseUrl} from '../../../api/http/base-url.js'
import {usage} from '../../../contract/failure.js'
import type {Scope} from '../../../contract/scopes.js'
import type {Profile} from '../../../state/settings.js'
import type {State} from '../../../state/state.js'
import {readSecret, stdinIsTerminal} from '../../input/files.js'
import {
  checkClientId,
  checkCredentials,
  checkProfileName,
  checkSecret,
  DEFAULT_PROFILE,
  requireSameMode,
  scopesIn,
  scopesOf,
} from '../../session/target.js'
import type {Question} from '../../terminal/prompts/ask.js'
import {type LoginInput, recordOf} from './access.js'

export interface LoginFlags {
  readonly profile?: string | undefined
  readonly 'base-url'?: string | undefined
  readonly 'client-id'?: string | undefined
  readonly 'client-secret-stdin'?: boolean | undefined
  readonly 'client-secret-file'?: string | undefined
  readonly scope?: readonly (readonly Scope[])[] | undefined
  readonly keychain?: boolean | undefined
}

/** What to log in with. `ask` puts the questions to a person, or throws usage naming their flags. */
export async function readLogin(
  flags: LoginFlags,
  env: NodeJS.ProcessEnv,
  state: State,
  ask: (questions: readonly Question[]) => Promise<string[]>,
): Promise<LoginInput> {
  const profile = checkProfileName(flags.profile || DEFAULT_PROFILE)
  const scopes = scopesIn(flags.scope) ?? scopesOf(env.BOOKCTL_SCOPES)
  const known = recordOf(state, profile)
  const questions = questionsAbout(known)
  const values = [
    flags['base-url'] || undefined,
    flags['client-id'] || undefined,
    await givenSecret(flags, env),
  ]
  // What was given is checked before anything is asked.
  for (const [index, value] of values.entries())
    if (value !== undefined) await questions[index]?.check?.(value)
  const answers = await ask(questions.filter((_, index) => values[index] === undefined))
  const [baseUrl = '', clientId = '', clientSecret = ''] = values.map(value => value ?? answers.shift())
  checkCredentials(clientId, clientSecret, parseBaseUrl(baseUrl).baseUrl)
  return {profile, baseUrl, clientId, clientSecret, scopes, keychain: flags.keychain ?? false}
}

/** What a login needs, each with the check of its answer; that of the secret needs the base URL, when it was checked. */
function questionsAbout(known: Profile | undefined): Question[] {
  let baseUrl: string | undefined
  return [
    {
      flag: '--base-url',
      message: 'Base URL, ending in v1',
      ...(known ? {default: known.base_url} : {}),
      check: answer => {
        baseUrl = parseBaseUrl(answer).baseUrl
      },
    },
    {
      flag: '--client-id',
      message: 'Client id',
      ...(known ? {default: known.client_id} : {}),
      check: checkClientId,
    },
    {
      flag: '--client-secret-stdin',
      message: 'Client secret',
      secret: true,
      check: answer => {
        checkSecret(answer, baseUrl)
        requireSameMode(known?.mode, answer, 'the profile')
      },
    },
  ]
}

async function givenSecret(flags: LoginFlags, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const {'client-secret-stdin': fromStdin, 'client-secret-file': file} = flags
  const flag = fromStdin ? '--client-secret-stdin' : '--client-secret-file'
  const source = fromStdin ? '-' : file
  if (source === '-' && stdinIsTerminal())
    throw usage('invalid_input', `${flag}: standard input is a terminal`, 'pipe the secret in')
  if (source !== undefined) return readSecret(flag, source)
  return env.BOOKCTL_CLIENT_SECRET || undefined
}
