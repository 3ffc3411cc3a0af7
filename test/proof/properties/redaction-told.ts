/** Redaction of the secrets it was told: none is there after, however it is written and wherever it stands; twice as once. */
import fc from 'fast-check'
import {quoteBody} from '../../../src/api/answers/errors.js'
import {createRedactor} from '../../../src/api/redact/redact.js'
import {describeBodies} from '../../../src/api/trace/bodies.js'
import {curlLine} from '../../../src/api/trace/curl.js'
import {toHar} from '../../../src/api/trace/har.js'
import {describeAttempt} from '../../../src/api/trace/trace.js'
import {ExchangeError} from '../../../src/api/types.js'
import {must, property} from '../property.js'
import {around, isTelling, secret, spelling, tells, wellFormed} from './redaction-values.js'

/** JSON with `told` in it, as a value, in a list, in JSON inside a string, twice over. */
const holders: readonly ((told: string) => unknown)[] = [
  told => told,
  told => ({message: `no ${told} here`}),
  told => [[{a: [told, 1]}]],
  told => ({[told]: 1}),
  told => ({body: JSON.stringify({inner: told})}),
  told => ({body: JSON.stringify({inner: JSON.stringify([told])})}),
  told => ({
    headers: [{name: 'X-Echo', value: `a ${told}`}],
    url: `https://h.example/${encodeURIComponent(wellFormed(told))}?q=${told}`,
  }),
  told => Array.from({length: 30}).reduce(inner => ({inner}), told as unknown),
]

interface Placed {
  readonly told: string
  readonly request: {method: string; url: string; headers: Record<string, string>; body?: string}
  readonly outcome: ExchangeError | {status: number; headers: Record<string, string>; body: Uint8Array}
}

const placed: fc.Arbitrary<Placed> = fc
  .tuple(secret, fc.constantFrom(...holders), fc.constantFrom(...holders), fc.boolean(), fc.boolean())
  .map(([told, sent, received, isLost, isCut]) => {
    const query = encodeURIComponent(wellFormed(told))
    const answer = JSON.stringify(received(told))
    return {
      told,
      request: {
        method: 'POST',
        url: `https://h.example/v1/reservations?q=${query}`,
        headers: {
          authorization: `Bearer ${told}`,
          'x-echo': `a ${printable(told)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(sent(told)),
      },
      outcome: isLost
        ? new ExchangeError('reset', true, `ECONNRESET ${told}`)
        : {
            status: 400,
            headers: {
              location: `https://h.example/${query}`,
              'x-echo': printable(told),
              'set-cookie': `a=${query}`,
            },
            body: Buffer.from(isCut ? answer.slice(0, -1) : answer),
          },
    }
  })

/** Headers hold no more than this. */
function printable(text: string): string {
  return encodeURIComponent(wellFormed(text))
}

export const redactionOfSecrets = [
  property(
    'redaction: a secret that was told is not there after, however written and wherever it stands',
    fc.tuple(secret, spelling, around, around, fc.nat(5)),
    ([told, write, before, after, offset]) => {
      const redactor = createRedactor()
      redactor.add(told)
      for (const text of [
        redactor.text(before + write(told, offset) + after),
        redactor.header('x-echo', before + write(told, offset) + after),
      ])
        must(!tells(text, told) || tells(before, told) || tells(after, told), told, text)
    },
    {weight: 2},
  ),
  property(
    'redaction: nor in JSON at any depth, in names, or in JSON inside of JSON',
    fc.tuple(secret, fc.constantFrom(...holders), spelling),
    ([told, hold, write]) => {
      const redactor = createRedactor()
      redactor.add(told)
      const text = JSON.stringify(redactor.json(hold(write(told, 0))))
      must(!tells(text, told), told, text)
    },
    {weight: 2},
  ),
  property(
    'redaction: nor in an archive, a curl line, what -v and -vv say, or what is quoted of an answer',
    placed,
    ({told, request, outcome}) => {
      const redactor = createRedactor()
      redactor.add(told)
      const record = {
        request,
        attempt: 1,
        startedAt: 1_800_000_000,
        milliseconds: 4,
        outcome,
        waitMilliseconds: undefined,
      }
      const creator = {name: 'bookctl', version: '1'}
      const told_ = [
        JSON.stringify(toHar([record], {creator, redactor})),
        curlLine(request, redactor),
        describeAttempt(record, redactor),
        ...describeBodies(record, redactor),
        ...(outcome instanceof ExchangeError ? [] : [quoteBody({...outcome, secrets: [told]}) ?? '']),
      ]
      for (const text of told_) must(!tells(text, told), told, text)
    },
    {weight: 4},
  ),
  property(
    'redaction: several secrets, one inside the other or side by side',
    fc.tuple(secret, secret, around),
    ([one, other, text]) => {
      const redactor = createRedactor()
      for (const each of [one, other, one.slice(0, 8)].filter(isTelling)) redactor.add(each)
      const safe = redactor.text(`${one}${other}${text}${other}${one}`)
      must(!tells(safe, one) && !tells(safe, other), one, other, safe)
    },
  ),
  property(
    'redaction: twice is once',
    fc.tuple(fc.option(secret, {nil: undefined}), spelling, around, around),
    ([told, write, before, after]) => {
      const redactor = createRedactor()
      if (told !== undefined) redactor.add(told)
      const once = redactor.text(`${before}${told === undefined ? '' : write(told, 1)}${after}`)
      must(redactor.text(once) === once, once, redactor.text(once))
    },
  ),
]
