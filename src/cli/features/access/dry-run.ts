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
import {type LoginInput, recordOf} from './access.js'
import {type Leaving, type LogoutTarget, profilesOf, revocableTokens} from './logout.js'

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
      changeOf(state, input.profile, {after: {base_url: baseUrl, client_id: input.clientId}}),
    ],
  )
}

function changeOf(state: State, profile: string, values: Pick<DryChange, 'before' | 'after'>): DryChange {
  const action = values.after === undefined ? 'remove' : 'set'
  return {file: state.settings.path, action, what: `profiles.${profile}`, ...values}
}

/** `more`: changes after those of the logout. */
export async function describeLogout(
  state: State,
  leaving: Leaving,
  now: number,
  more: readonly DryChange[] = [],
): Promise<Result> {
  const revocations = (await revocableTokens(state, leaving, now)).map(({client}) =>
    plainDryRequest('POST', client.baseUrl + OPERATIONS['token.revoke'].path, {token: REDACTED}),
  )
  return dryRun(revocations, [...removals(state, leaving), ...more])
}

export function describeProfileRemoval(state: State, leaving: LogoutTarget, now: number): Promise<Result> {
  const name = leaving.profile ?? ''
  const {base_url, client_id} = recordOf(state, name) ?? {}
  return describeLogout(state, leaving, now, [changeOf(state, name, {before: {base_url, client_id}})])
}

export function describeProfileUse(state: State, name: string): Result {
  const before = state.settings.read().current_profile ?? null
  const change = {file: state.settings.path, action: 'set', what: 'current_profile'} as const
  return dryRun([], [{...change, before, after: name}])
}

function removals(state: State, leaving: Leaving): DryChange[] {
  const file = tokensFile(state)
  const remove = (what: string, from = file): DryChange => ({file: from, action: 'remove', what})
  const fileOf = (name: string) => (recordOf(state, name)?.secret_store === 'keychain' ? 'keychain' : file)
  const whose = leaving === 'all' ? 'every client' : (leaving.clientId ?? 'the profile')
  const people = leaving === 'all' ? state.people.listAll() : []
  const names = people.map(({name, surname}) => sanitizeLine(`${name} ${surname}`, 100))
  return [
    remove(`access tokens of ${whose}`),
    ...profilesOf(leaving, state).flatMap(name => [
      remove(`client secret of profile ${name}`, fileOf(name)),
      remove(`signing secrets of profile ${name}`),
    ]),
    ...[...new Set(names)].map(name => remove(`details kept of ${name}`, join(state.directory, STATE_NAME))),
  ]
}

function tokensFile(state: State): string {
  return join(state.directory, TOKENS_NAME)
}
