/**
 * The schema of config.json, by which settings-check.ts checks the file. Descriptions follow "must be" in messages.
 * The rules of single settings (cli/session/setting-keys.ts) are stricter.
 */
import {z} from 'zod'
import {HEADER_NAME, PROFILE_NAME, PROFILE_NAME_FORM} from '../contract/identifiers.js'
import {PATH_TEMPLATE, SCOPE_NAMES} from '../contract/operations.js'

const text = z.string()
const notEmpty = z.string().regex(/./).describe('text that is not empty')
const headerName = z.string().regex(HEADER_NAME).describe('the name of a header')
const profileName = z.string().regex(PROFILE_NAME).describe(`a profile name: ${PROFILE_NAME_FORM}`)
const path = z.string().regex(PATH_TEMPLATE).describe('a path such as /bookings/{reservation_ref}')

const contact = z.strictObject({
  name: text.optional(),
  surname: text.optional(),
  email: text.optional(),
  phone_country_code: text.optional(),
  phone_number: text.optional(),
})

/** Allowed in a profile and in the defaults of all profiles. */
const shared = {
  /** Header of a webhook's signature (§6.2). */
  signature_header: headerName.optional(),
  /** Header of a webhook event's id (§6.2). */
  event_id_header: headerName.optional(),
  nationality: text.optional(),
  currency: text.optional(),
  contact: contact.optional(),
  /** Paths, under the base URL, of operations that the interface does not define (§4.9): `{"reservations.list": "/bookings"}`. */
  paths: z.record(z.string(), path).optional(),
  /** Address of the store shared with other machines, without a password. */
  store: notEmpty.optional(),
  /** Seconds. */
  timeout: z.number().optional(),
  ca_file: text.optional(),
}

const profile = z.strictObject({
  base_url: notEmpty,
  client_id: notEmpty,
  /** The scopes that `login --scope` named. */
  scopes: z.array(z.enum(SCOPE_NAMES).describe('a scope of the service')).optional(),
  /** Where the client secret is stored (default `file`, which is tokens.db). */
  secret_store: z.enum(['file', 'keychain']).optional(),
  /** Whether the secret is a live or a test one (§5.3). */
  mode: z.enum(['live', 'test']).optional(),
  ...shared,
})

/** Unknown keys are refused: a mistyped one would silently have no effect. */
export const settingsFile = z.strictObject({
  current_profile: profileName.optional(),
  profiles: z.record(profileName, profile).optional(),
  defaults: z.strictObject(shared).optional(),
})

export type Profile = z.infer<typeof profile>
export type SettingsInFile = z.infer<typeof settingsFile>

/** The same, with an empty list of profiles if the file has none. */
export type SettingsFile = SettingsInFile & {profiles: Record<string, Profile>}
