/** Under which names the signature and the event's id come (§6.2): those of the profile, of the defaults, or the interface's. */
import {EVENT_ID_HEADER, SIGNATURE_HEADER} from '../../../contract/events.js'
import type {State} from '../../../state/state.js'
import type {WebhookHeaderNames} from '../../../webhooks/signature/headers.js'
import {rememberedIn} from '../../session/connect.js'
import {profileName} from '../../session/target.js'

/** The names set as `signature_header` and `event_id_header` of the profile meant or the defaults; no profile is needed. */
export function webhookHeaderNames(
  flags: {readonly profile?: string | undefined},
  state: State,
): WebhookHeaderNames {
  const {profiles, defaults} = state.settings.read()
  const name = profileName(flags, rememberedIn(state))
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  return {
    signature: profile?.signature_header ?? defaults?.signature_header ?? SIGNATURE_HEADER,
    eventId: profile?.event_id_header ?? defaults?.event_id_header ?? EVENT_ID_HEADER,
  }
}
