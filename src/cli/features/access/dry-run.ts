/** What `login`, `logout` and `profiles` would send and change, for `--dry-run`. */
import {join} from 'node:path'
import {parseBaseUrl} from '../../../api/http/base-url.js'
import {REDACTED} from '../../../api/redact/redact.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {OPERATIONS} from '../../../contract/operations.js'
import {BOOKING_SCOPES} from '../../../contract/scopes.js'
import {STATE_NAME, TOKENS_NAME} from '../../../state/file-names.js'
import type {State} from '../../../state/state.js'
import {type DryChange, dryRun, plainDryRequest} from '../../session/dry-run.js'
import type {Result} from '../../terminal/result.js'
import type {LoginInput} from './access.js'
import type {LogoutTarget} from './logout.js'

export function describeLogin(state: State, input: LoginInput): Result {
  const {baseUrl} = parseBaseUrl(input.baseUrl)
  const request = plainDryRequest('POST', baseUrl + OPERATIONS['token.create'].path, {
    grant_type: 'client_credentials',
    client_id: input.clientId,
    client_secret: REDACTED,
    scope: [...(input.scopes ?? BOOKING_SCOPES)].sort().join(' '),
  })
  const secretIn = input.keychain ? 'keychain' : tokensFile(state)
  return dryRun(
    [request],
    [
      {file: secretIn, action: 'set', what: `client secret of profile ${input.profile}`},
      {file: tokensFile(state), action: 'set', what: `access token of ${input.clientId}`},
      {
        ...{file: state.settings.path, action: 'set', what: `profiles.${input.profile}`},
        after: {base_url: baseUrl, client_id: input.clientId},
      },
    ],
  )
}

/** Of one that leaves, or of everyone. */
export function describeLogout(state: State, leaving: LogoutTarget | 'all', now: number): Result {
  return dryRun(revocations(state, leaving, now), removals(state, leaving))
}

export function describeProfileRemoval(state: State, leaving: LogoutTarget, now: number): Result {
  const before = state.settings.read().profiles[leaving.profile ?? '']
  const entry = {
    ...({file: state.settings.path, action: 'remove', what: `profiles.${leaving.profile}`} as const),
    before: {base_url: before?.base_url, client_id: before?.client_id},
  }
  return dryRun(revocations(state, leaving, now), [...removals(state, leaving), entry])
}

export function describeProfileUse(state: State, name: string): Result {
  const before = state.settings.read().current_profile ?? null
  return dryRun(
    [],
    [{file: state.settings.path, action: 'set', what: 'current_profile', before, after: name}],
  )
}

function revocations(state: State, leaving: LogoutTarget | 'all', now: number) {
  return state.tokens
    .listAll()
    .filter(({client, token}) => isMeant(leaving, client) && token.expiresAt > now)
    .map(({client}) =>
      plainDryRequest('POST', client.baseUrl + OPERATIONS['token.revoke'].path, {token: REDACTED}),
    )
}

function isMeant(leaving: LogoutTarget | 'all', client: {clientId: string; baseUrl: string}): boolean {
  if (leaving === 'all') return true
  return client.clientId === leaving.clientId && leaving.baseUrls.includes(client.baseUrl)
}

function removals(state: State, leaving: LogoutTarget | 'all'): DryChange[] {
  const file = tokensFile(state)
  const remove = (what: string, from = file): DryChange => ({file: from, action: 'remove', what})
  const {profiles} = state.settings.read()
  const names = leaving === 'all' ? Object.keys(profiles) : leaving.profile === null ? [] : [leaving.profile]
  const whose = leaving === 'all' ? 'every client' : (leaving.clientId ?? 'the profile')
  return [
    remove(`access tokens of ${whose}`),
    ...names.flatMap(name => [
      remove(
        `client secret of profile ${name}`,
        profiles[name]?.secret_store === 'keychain' ? 'keychain' : file,
      ),
      remove(`signing secrets of profile ${name}`),
    ]),
    ...(leaving === 'all' ? peopleKept(state) : []).map(name =>
      remove(`details kept of ${name}`, join(state.directory, STATE_NAME)),
    ),
  ]
}

/** Their names, once each: somebody may be a guest and a contact, and of several clients. */
function peopleKept(state: State): string[] {
  const names = state.people.listAll().map(({name, surname}) => sanitizeLine(`${name} ${surname}`, 100))
  return [...new Set(names)]
}

function tokensFile(state: State): string {
  return join(state.directory, TOKENS_NAME)
}
