/** A service that echoes what it was sent: no secret of it reaches a person or a script. */
import {expect, test} from 'vitest'
import {refusalOf} from '../../src/api/answers/refusals.js'
import {readAnswer} from '../../src/api/operations/client.js'
import {secretsIn} from '../../src/api/redact/secrets-in.js'
import type {Answer} from '../../src/api/types.js'

const TOKEN = 'opaqueTokenWithoutAnyLook42'
const request = {
  method: 'POST',
  url: 'https://service.example/v1/oauth/token',
  headers: {authorization: `Bearer ${TOKEN}`},
  body: JSON.stringify({client_secret: 'plainSecretWithoutAnyLook77'}),
}
const ECHO = `token ${TOKEN}, secret plainSecretWithoutAnyLook77, whsec_abcdefghijklmnop, https://u:pw@h.example/x?token=tok123456, identity 10000000146, a@b.example`
const SECRETS = [TOKEN, 'plainSecret', 'whsec_a', 'u:pw', 'tok123456', '10000000146', 'a@b.example']

function answer(status: number, text: string, headers: Record<string, string> = {}): Answer {
  const body = Buffer.from(text)
  const more = {attempts: 1, mayHaveActed: false, secrets: secretsIn(request)}
  return readAnswer({status, headers, body, ...more})
}

test.each([400, 401, 403, 404, 409, 422, 500, 503])('status %i', status => {
  for (const text of [
    JSON.stringify({error: {code: 'bad', message: ECHO}}),
    JSON.stringify({error: {code: 'bad', message: 'no', details: [{field: 'x', message: ECHO}]}}),
    JSON.stringify({errors: [{title: ECHO}]}),
    JSON.stringify({error: ECHO}),
    `<html>${ECHO}</html>`,
  ]) {
    const {message, details} = refusalOf(answer(status, text), 0)
    for (const secret of SECRETS) expect(JSON.stringify([message, details])).not.toContain(secret)
    expect(message).toContain('[redacted]')
  }
})

test('a secret at the end of what is quoted is not left in half', () => {
  for (let filler = 80; filler < 520; filler += 3) {
    const said = `${'x '.repeat(filler).slice(0, filler)}${TOKEN}`
    for (const text of [
      JSON.stringify({error: {message: said}}),
      JSON.stringify({error: {code: said}}),
      `<html>${said}</html>`,
    ])
      expect(refusalOf(answer(400, text), 0).message).not.toContain('opaque')
  }
})

test('neither the request id nor the scope that is wanted echoes a secret', () => {
  const text = JSON.stringify({error: {code: 'insufficient_scope', request_id: `req ${TOKEN}`}})
  const headers = {'www-authenticate': `Bearer scope="hotels:read ${TOKEN}"`, 'x-request-id': TOKEN}
  for (const echo of [answer(403, text), answer(403, text, headers)]) {
    const {details} = refusalOf(echo, 0)
    expect(JSON.stringify(details)).not.toContain(TOKEN)
    expect(details.requestId).toContain('[redacted]')
  }
})
