/** `help webhooks`: what stands beside the commands of the group. */
import type {HelpFormatter} from '@oclif/core/help'
import {EVENT_TYPES} from '../../../contract/events.js'
import {SIGNATURE_TOLERANCE_SECONDS} from '../../../contract/limits.js'
import {list, prose} from './layout.js'

const TEXT = `
The service sends events by HTTPS POST to the URL of each subscription (§6), signed with the subscription's secret, which it shows once. \`webhooks create\` stores the secret before it prints it.

To see events of the local sandbox arrive:

  bookctl webhooks create --url https://127.0.0.1:8443/ --event reservation.confirmed
  bookctl webhooks listen --tls --port 8443
  bookctl webhooks events list

\`webhooks listen\` answers 200 only when the event is on the disk, finds repeated events by the signed id, and hands on to your own receiver with --forward-to. With --exit-after 1 --within 60 it is a wait for scripts.

When a signature does not match, \`webhooks verify\` says why: the wrong secret, a body that was changed on the way, a clock that is off, a header that is malformed. It needs no login and no network:

  bookctl webhooks verify request.http --secret-file signing-secret.txt

The check: HMAC-SHA256 with the secret, over the header's t, a dot, and the raw body; v1 is its lower-case hex, compared in constant time; t may differ from now by ${SIGNATURE_TOLERANCE_SECONDS} seconds. \`webhooks probe URL\` tries a receiver with good and bad requests and tells which rules it keeps.`

export function webhooksText(help: HelpFormatter): string {
  const types = `Event types:\n${list(help, Object.entries(EVENT_TYPES))}`
  return [prose(help, TEXT), types].join('\n\n')
}
