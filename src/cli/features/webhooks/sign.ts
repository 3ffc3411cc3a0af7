/** `webhooks sign`. */
import process from 'node:process'
import type {State} from '../../../state/state.js'
import {createSigner} from '../../../webhooks/signature/signature.js'
import {systemClock} from '../../session/clock.js'
import {resolveWebhookSecrets, signingSecrets, type WebhookSecretFlags} from './secrets.js'
import {chooseInputs, openInput, readingFailed} from './verify.js'

/** Signs `file` (`-` or undefined: standard input) as it streams by. Times are Unix seconds. Throws usage. */
export async function signInput(
  file: string | undefined,
  flags: WebhookSecretFlags & {readonly at?: number | undefined},
  state: State,
): Promise<{signature: string; timestamp: number}> {
  const [input = '-'] = chooseInputs(file === undefined ? [] : [file], flags)
  const timestamp = flags.at ?? Math.floor(systemClock.now())
  const named = signingSecrets(await resolveWebhookSecrets(flags, process.env, state))
  const secrets = named.map(({secret}) => secret)
  const signer = createSigner(secrets, String(timestamp))
  try {
    for await (const piece of openInput(input)) signer.update(piece)
  } catch (error) {
    throw readingFailed(error, input)
  }
  return {signature: signer.finish(), timestamp}
}
