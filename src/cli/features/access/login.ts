/**
 * Logs in: collects the input from flags, environment and answers, obtains a token, and stores everything. If input is
 * missing, one error lists all of it.
 */
import * as Flags from '@oclif/core/flags'
import type {InferredFlags} from '@oclif/core/interfaces'
import {requestToken, tokenClientOf} from '../../../api/auth/tokens.js'
import {isoTime} from '../../../contract/dates.js'
import {Failure, failureWith, usage} from '../../../contract/failure.js'
import {REDACTED} from '../../../contract/foreign-text.js'
import {modeOfSecret} from '../../../contract/identifiers.js'
import {own} from '../../../contract/json.js'
import {parseBaseUrl} from '../../../contract/network.js'
import {BOOKING_SCOPES, OPERATIONS} from '../../../contract/operations.js'
import type {Profile} from '../../../state/settings.js'
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {readSecret} from '../../input/files.js'
import {dryRun, plainDryRequest} from '../../session/dry-run.js'
import {checkSecret, type TargetFlags} from '../../session/resolve.js'
import {
  checkClientId,
  checkProfileName,
  DEFAULT_PROFILE,
  scopeFlag,
  scopesOf,
} from '../../session/setting-keys.js'
import {SETTING_VARIABLES} from '../../session/setting-variables.js'
import type {Question} from '../../terminal/prompts/ask.js'
import type {Result} from '../../terminal/result.js'
import {stdinIsTerminal} from '../../terminal/streams.js'
import {recordOf, storedIn, type TokenRequester} from './profiles.js'

export const loginFlags = {
  'client-id': Flags.string({helpValue: 'ID', env: SETTING_VARIABLES.client_id, summary: 'client id, cid_…'}),
  'client-secret-stdin': Flags.boolean({summary: 'read the client secret from standard input'}),
  'client-secret-file': Flags.string({
    helpValue: 'FILE',
    exclusive: ['client-secret-stdin'],
    summary: 'read the client secret from a file; - is standard input',
  }),
  scope: scopeFlag('scope to request, now and later'),
  keychain: Flags.boolean({summary: 'store the secret in the keychain of the operating system'}),
}

export type LoginFlags = TargetFlags & Partial<InferredFlags<typeof loginFlags>>

/** Asks the user, or throws a usage error that names the flags. */
type Ask = (questions: readonly Question[]) => Promise<string[]>

const MOST_SECRETS = 3

/**
 * Logs in with `attempt`. If the service refuses a secret that was typed at the prompt, reports that with `tell` and
 * asks for the secret again. Throws a Failure if the login fails.
 */
export async function logInPatiently<T>(
  {input, askedFor}: Awaited<ReturnType<typeof readLogin>>,
  attempt: (input: LoginInput) => Promise<T>,
  ask: Ask,
  tell: (problem: string) => void,
): Promise<T> {
  let {clientSecret} = input
  for (let left = MOST_SECRETS - 1; ; left--) {
    try {
      return await attempt({...input, clientSecret})
    } catch (error) {
      // If the client lacks a scope, another secret does not help.
      const isSecretWrong =
        error instanceof Failure && error.kind === 'not_allowed' && error.details.code !== 'invalid_scope'
      if (!isSecretWrong) throw error
      const hint = 'check the client id, the secret and the base URL, and run bookctl login again'
      if (!askedFor || left === 0) throw failureWith(error, {hint})
      tell(`Error: ${error.message}`)
      const message = `Client secret of ${input.clientId}, again`
      clientSecret = (await ask([{...askedFor, message}]))[0] ?? ''
    }
  }
}

/**
 * The checked input. `scopes` come from --scope or the variable. Without them, the booking scopes are requested, and
 * the profile stores no scopes.
 */
export type LoginInput = Awaited<ReturnType<typeof readLogin>>['input']

/**
 * Reads the input for a login. `askedFor` is the question for the secret, if it was asked. Throws a usage error if
 * something is invalid or missing.
 */
export async function readLogin(flags: LoginFlags, env: NodeJS.ProcessEnv, state: State, ask: Ask) {
  const profile = checkProfileName(flags.profile || DEFAULT_PROFILE)
  const scopes = scopesOf(...(flags.scope ?? [env.BOOKCTL_SCOPES]))
  const known = recordOf(state, profile)
  const {'base-url': url, 'client-id': id} = flags
  let service: string | undefined
  const wanted = [
    {
      given: url || undefined,
      flag: '--base-url',
      message: 'Base URL, ending in v1',
      default: known?.base_url,
      check: (answer: string) => {
        service = parseBaseUrl(
          answer,
          ...(url ? originOf(url, '--base-url', SETTING_VARIABLES.base_url, env) : []),
        ).baseUrl
      },
    },
    {
      given: id || undefined,
      flag: '--client-id',
      message: 'Client id',
      default: known?.client_id,
      check: (answer: string) => {
        checkClientId(answer, ...(id ? originOf(id, '--client-id', SETTING_VARIABLES.client_id, env) : []))
      },
    },
    {
      given: await givenSecret(flags, env),
      flag: '--client-secret-stdin',
      ways: 'give the secret by --client-secret-stdin, --client-secret-file FILE or BOOKCTL_CLIENT_SECRET',
      message: 'Client secret',
      secret: true,
      check: (answer: string) => {
        checkSecret(answer, service)
        checkSecret(answer, undefined, known?.mode)
      },
    },
  ]
  // Values that were given are checked before anything is asked.
  for (const {given, check} of wanted) if (given !== undefined) check(given)
  const asked: readonly Question[] = wanted.filter(({given}) => given === undefined)
  const answers = await ask(asked)
  const [address = '', clientId = '', clientSecret = ''] = wanted.map(({given}) => given ?? answers.shift())
  const {baseUrl} = parseBaseUrl(address)
  checkSecret(clientSecret, baseUrl)
  const input = {profile, baseUrl, clientId, clientSecret, scopes, keychain: flags.keychain ?? false}
  return {input, askedFor: asked.find(({secret}) => secret)}
}

/** Returns where `text` comes from (the flag, or the variable that fills it), and the hint for an invalid value. */
function originOf(text: string, flag: string, variable: string, env: NodeJS.ProcessEnv): [string, string] {
  return text === env[variable] ? [variable, `correct or unset ${variable}`] : [flag, `correct ${flag}`]
}

/**
 * Obtains a token, then stores profile, secret and token. If that fails, nothing is stored. Throws a Failure or a
 * StorageError.
 */
export async function logIn(requester: TokenRequester, state: State, input: LoginInput) {
  const {baseUrl} = input
  const mode = modeOfSecret(input.clientSecret)
  const before = recordOf(state, input.profile)
  if (!state.writable) {
    const hint = 'make it writable, set BOOKCTL_CONFIG_DIR, or use environment variables instead of a login'
    throw new StorageError('not_writable', 'the configuration directory is not writable', hint)
  }
  const token = await requestToken(
    {...requester, baseUrl, credentials: input},
    input.scopes ?? BOOKING_SCOPES,
  )
  const place = input.keychain ? 'keychain' : 'file'
  if (input.keychain) await state.secrets.write(input, place, input.clientSecret)
  await state.settings.update(
    file => {
      const {current_profile, profiles} = file.read()
      // Old scopes are dropped, and so are the paths of another service.
      const {scopes: _, paths, ...kept}: Partial<Profile> = own(profiles, input.profile) ?? {}
      file.set(['profiles', input.profile], {
        ...kept,
        ...(paths && kept.base_url === baseUrl ? {paths} : {}),
        base_url: baseUrl,
        client_id: input.clientId,
        ...(input.scopes ? {scopes: [...input.scopes]} : {}),
        mode,
        secret_store: place,
      })
      if (current_profile === undefined) file.set(['current_profile'], input.profile)
    },
    {
      // If the process is killed here, the old login still works, because its secret is stored next to the new
      // client's.
      ...(input.keychain ? {} : {whenReady: () => state.secrets.writeToFile(input, input.clientSecret)}),
      async whenDone() {
        await state.secrets.remove(input, 'file', input.keychain ? undefined : input)
        if (before?.secret_store !== 'keychain') return
        const earlier = {profile: input.profile, clientId: before.client_id}
        await state.secrets.remove(earlier, 'keychain', input.keychain ? input : undefined)
      },
    },
  )
  await state.tokens.put(tokenClientOf(baseUrl, input), token)
  return {
    profile: input.profile,
    base_url: baseUrl,
    client_id: input.clientId,
    mode,
    scopes: token.scopes,
    expires_at: isoTime(token.expiresAt),
    stored_in: storedIn(place, state),
  }
}

/** Describes what the login would send and change (--dry-run). */
export function describeLogin(state: State, input: LoginInput): Result {
  const {profile, baseUrl, clientId, scopes = BOOKING_SCOPES} = input
  const request = plainDryRequest('POST', baseUrl + OPERATIONS['token.create'].path, {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: REDACTED,
    scope: [...scopes].sort().join(' '),
  })
  const set = (file: string, what: string) => ({file, action: 'set', what}) as const
  const after = {base_url: baseUrl, client_id: clientId}
  const changes = [
    set(storedIn(input.keychain ? 'keychain' : 'file', state), `client secret of profile ${profile}`),
    set(storedIn('file', state), `access token of ${clientId}`),
    {...set(state.settings.path, `profiles.${profile}`), after},
  ]
  return dryRun([request], changes)
}

/** Returns suggestions for the user after a login: commands that the granted scopes allow. */
export function nextSteps(
  {profile, scopes}: {readonly profile: string; readonly scopes: readonly string[]},
  current: string | undefined,
): string[] {
  const use = current === profile ? [] : [`use this profile from now on: bookctl profiles use ${profile}`]
  const named = current === profile ? '' : ` --profile ${profile}`
  const steps: readonly (readonly [scope: string, what: string, command: string])[] = [
    ['account:read', 'see the account', `bookctl account${named}`],
    ['hotels:read', 'search hotels', `bookctl hotels search${named}`],
    ['reservations:write', 'book, step by step', `bookctl reserve${named}`],
  ]
  const allowed = steps.filter(([scope]) => scopes.includes(scope)).map(([, ...step]) => step.join(': '))
  const more = allowed.length > 0 ? allowed : [`check it: bookctl whoami --check${named}`]
  return ['Next:', ...[...use, ...more].map(step => `  ${step}`)]
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
