/**
 * Schema helpers, and the schemas of small records: tokens (§2.1, §4.1, §4.2), account, reference data, tours and
 * errors (not shown).
 */
import {z} from 'zod'
import {isCalendarDate} from './dates.js'
import {ACCESS_TOKEN_LIFETIME_SECONDS} from './limits.js'
import {isAmount, isCurrencyCode} from './money.js'

/**
 * `ours` and `from` return the metadata that sets `x-source` in the OpenAPI description: `ours`, or a § of the
 * interface.
 */
export const ours = (description: string) => ({description, 'x-source': 'ours'})
export const from = (section: string, description: string) => ({description, 'x-source': section})

/**
 * Returns the metadata of a field: its meaning and an example. The examples fit together, so that a search and a
 * booking work against a static mock built from the description.
 */
export const about = (description: string, example: unknown) => ({description, examples: [example]})

/** The default maximum length of a text in a request. §8 shows no sizes. */
const MOST_TEXT_LENGTH = 255
/** The maximum length of a secret, a token or a list of scopes. */
const MOST_CREDENTIAL_LENGTH = 2000

/**
 * A part of a character class. It lists code points, because tools that read the description interpret `\p{…}`
 * differently from each other.
 */
const CONTROLS_AND_SURROGATES = String.raw`\x00-\x1f\x7f-\x9f\ud800-\udfff`

/**
 * Returns the schema of a text in a request: at most `most` characters, no control characters and no lone surrogates.
 */
export const plainText = (most = MOST_TEXT_LENGTH) =>
  z.string().regex(new RegExp(`^[^${CONTROLS_AND_SURROGATES}]{0,${most}}$`, 'u'), {
    error: `must be at most ${most} characters, without control characters`,
    abort: true,
  })

export const calendarDate = z
  .string()
  .refine(isCalendarDate, 'must be a date that exists, written YYYY-MM-DD')
  .meta({description: 'Hotel-local calendar date, YYYY-MM-DD', format: 'date'})

export const countryCode = z
  .string()
  .regex(/^[A-Z]{2}$/, 'must be a two-letter country code')
  .meta({description: 'ISO 3166-1 alpha-2 country code', examples: ['TR']})

export const currencyCode = z
  .string()
  .refine(isCurrencyCode, 'must be a three-letter currency code')
  .meta({description: 'ISO 4217 currency code', pattern: '^[A-Z]{3}$', examples: ['EUR']})

/** An amount as the client sends it and the sandbox answers it. Another service may answer with a JSON number. */
export const amount = z
  .string()
  .refine(isAmount, 'must be a decimal amount such as 1250.00')
  .meta({description: 'Decimal amount', pattern: '^[0-9]{1,15}(\\.[0-9]{1,6})?$', examples: ['1250.00']})

export const timestamp = z.iso
  .datetime({offset: true})
  .meta({description: 'ISO 8601 timestamp with offset', examples: ['2030-06-01T12:00:00Z']})

/** Each returns the schema of a field of an answer, with its meaning and an example. */
export const textField = (description: string, example: string) =>
  z.string().meta(about(description, example))
export const wholeField = (description: string, example: number) => z.int().meta(about(description, example))
export const timeField = (description: string, example: string) => timestamp.meta(about(description, example))
export const amountField = (description: string, example: string) => amount.meta(about(description, example))

/**
 * What the partner's account is charged for a price. `rate` is the number of units of the account's currency for one
 * unit of the price's currency.
 */
export const accountCharge = z
  .object({
    amount: amountField('What the account is charged, a decimal amount', '403.20'),
    currency: currencyCode,
    rate: textField("Units of the account's currency for one unit of the price's, a decimal number", '1'),
  })
  .meta({
    id: 'AccountCharge',
    ...ours('A charge of an account in its own currency'),
  })

export type AccountCharge = z.infer<typeof accountCharge>

const clientId = about("The client's identifier", 'cid_sandbox')
const grantedScopes = about(
  'Scopes that were granted, separated by spaces',
  'hotels:read reservations:read reservations:write',
)
const token = 'at_4kT0mWq7Zc2Jx9Lr5Vb1Ny8'

/** A token request may have additional fields, which are ignored (RFC 6749 §3.2, RFC 7009 §2.1). */
export const tokenRequest = z
  .object({
    // Another grant type is not rejected here, because it has an error code of its own (RFC 6749 §5.2).
    grant_type: plainText()
      .min(1)
      .meta({enum: ['client_credentials'], ...about('Grant of RFC 6749', 'client_credentials')}),
    client_id: plainText().min(1).meta(clientId),
    client_secret: plainText(MOST_CREDENTIAL_LENGTH)
      .min(1)
      .meta(about("The client's secret", 'sk_test_example')),
    scope: plainText(MOST_CREDENTIAL_LENGTH).meta(grantedScopes),
  })
  .meta({id: 'TokenRequest', ...from('§4.1', 'Client credentials, asking for a token')})

export const accessToken = z
  .looseObject({
    access_token: z
      .string()
      .min(1)
      .meta(about(`Bearer token, valid for ${ACCESS_TOKEN_LIFETIME_SECONDS / 3600} hours`, token)),
    token_type: z.string().optional().meta(about('How the token is sent', 'Bearer')),
    expires_in: z.coerce
      .number()
      .int()
      .positive()
      .optional()
      .meta(about('Lifetime in seconds', ACCESS_TOKEN_LIFETIME_SECONDS)),
    scope: z.string().optional().meta(grantedScopes),
  })
  .meta({id: 'AccessToken', ...from('§2.1', 'A bearer credential and its lifetime')})

export const revokeRequest = z
  .object({token: plainText(MOST_CREDENTIAL_LENGTH).min(1).meta(about('An access token', token))})
  .meta({id: 'RevokeRequest', ...from('§4.2', 'The access token to revoke')})

export const revokedToken = z
  .object({revoked: z.literal(true).meta(about('Always true', true))})
  .meta({id: 'RevokedToken', ...ours('The token is no longer valid, whether it ever was or not')})

export const country = z
  .object({
    code: countryCode,
    name: textField('Name in English', 'Türkiye'),
    phone_code: textField('Dialling prefix', '+90'),
    currency: textField('ISO 4217 currency code; empty for none of its own', 'TRY'),
  })
  .meta({id: 'Country', ...ours('A country')})

export const currency = z
  .object({
    code: currencyCode,
    name: textField('Name in English', 'Euro'),
    minor_units: wholeField('Digits after the decimal point', 2),
  })
  .meta({id: 'Currency', ...ours('A currency')})

export type Country = z.infer<typeof country>
export type Currency = z.infer<typeof currency>

export const lastChanged = about('When it last changed, ISO 8601 with offset', '2030-06-01T12:05:00Z')

export const account = z
  .object({
    account_id: textField("The account's identifier", 'acc_sandbox'),
    name: textField('Name of the partner', 'Sandbox Travel'),
    mode: z.enum(['live', 'test']).meta(about('Side of the service', 'test')),
    status: z.enum(['ACTIVE', 'BLOCKED']).meta(about('Whether the account may book', 'ACTIVE')),
    client_id: z.string().meta(clientId),
    scopes: z
      .array(z.string())
      .meta(
        about('Scopes the client may ask for', ['hotels:read', 'reservations:read', 'reservations:write']),
      ),
    currency: currencyCode,
    balance: amountField('Balance, a decimal amount', '100000.00'),
    credit_limit: amountField('Credit beyond the balance, a decimal amount', '0.00'),
    available_balance: amountField('What can be spent, a decimal amount', '100000.00'),
    updated_at: timestamp.meta(lastChanged),
  })
  .meta({id: 'Account', ...ours('Account information and balance')})

export type Account = z.infer<typeof account>

/** The destination of a search: a city by its id. */
export const destination = z
  .strictObject({
    type: z.literal('CITY').meta(about('Kind of destination', 'CITY')),
    id: z.int().positive().meta(about('Identifier of a city; content.cities lists them', 101)),
  })
  .meta(about('Where to', {type: 'CITY', id: 101}))

export const tourSearchRequest = z
  .strictObject({
    destination,
    date: calendarDate.optional().meta(about('Only tours that run on this day', '2030-07-11')),
    currency: currencyCode,
  })
  .meta({id: 'TourSearchRequest', ...ours('What to search tours for')})

/** The city of a hotel or a tour. */
export const cityOfPlace = z
  .object({
    id: wholeField('Identifier of the city', 101),
    name: textField('Name of the city', 'Istanbul'),
  })
  .meta(about('City it is in', {id: 101, name: 'Istanbul'}))

export const tour = z
  .object({
    tour_id: textField('Identifier of the tour', 'tour_101_01'),
    name: textField('Name of the tour', 'Topkapı Palace with a local guide'),
    short_description: textField('The tour in a sentence', 'A licensed guide shows you Topkapı Palace.'),
    duration_minutes: wholeField('Length in minutes', 150),
    price_from: z
      .object({amount: amount.meta({examples: ['35.00']}), currency: currencyCode})
      .meta(about('Lowest price for one person', {amount: '35.00', currency: 'EUR'})),
    city: cityOfPlace,
    country_code: countryCode,
    rating: z.number().nullable().meta(about('Average of the reviews, up to 5; null: none', 4.4)),
    review_count: wholeField('Number of reviews', 2355),
    tags: z.array(z.string()).meta(about('Keywords', ['culture', 'guided'])),
  })
  .meta({id: 'Tour', ...ours('A tour')})

export type TourSearchRequest = z.infer<typeof tourSearchRequest>
export type Tour = z.infer<typeof tour>

const errorDetail = z.object({
  field: textField('Path to the field', 'guests[0].name'),
  code: textField('Code of what is wrong, a stable word', 'required'),
  message: textField('What is wrong, in words', 'is required'),
})

export const requestId = about('Names the request; the same as X-Request-Id', 'req_1sG7dNb4')

export const errorBody = z
  .object({
    error: z
      .looseObject({
        code: textField('Code of the refusal, a stable word', 'validation_failed'),
        message: textField('The refusal in words', 'the request is not valid'),
        request_id: z.string().meta(requestId),
        retryable: z.boolean().meta(about('Whether the same request may be sent again', false)),
        details: z.array(errorDetail).optional().meta({description: 'The fields that are wrong'}),
      })
      .meta({description: 'The refusal'}),
    error_description: z
      .string()
      .optional()
      .meta(about("RFC 6749's field, on the token endpoint", 'invalid client_id or client_secret')),
  })
  .meta({id: 'Error', ...ours('Why the request was refused')})

export type ErrorDetail = z.infer<typeof errorDetail>

export const listMeta = z
  .object({
    limit: wholeField('the most records of one answer', 50),
    after: z.string().nullable().meta(about('cursor of the next page; null on the last', null)),
    before: z.string().nullable().meta(about('cursor of the page before; null on the first', null)),
  })
  .meta({id: 'ListMeta', ...ours('Where a list goes on')})
