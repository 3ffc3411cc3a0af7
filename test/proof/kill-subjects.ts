/** Everything that is killed. */
import {ACCESS} from './kill-access.js'
import {CANCEL} from './kill-cancel.js'
import {CREATE} from './kill-create.js'
import {DELIVERIES} from './kill-deliveries.js'
import {EXPORT} from './kill-export.js'
import {FORGET} from './kill-forget.js'
import {LISTEN} from './kill-listen.js'
import {LISTEN_TLS} from './kill-listen-tls.js'
import {RESERVE} from './kill-reserve.js'
import {RESET} from './kill-reset.js'
import type {Subject} from './kill-scene.js'
import {VOUCHER} from './kill-voucher.js'

export const SUBJECTS: readonly Subject[] = [
  ...[...RESERVE, CANCEL, ...ACCESS, CREATE, ...VOUCHER, EXPORT, FORGET],
  ...[...LISTEN, LISTEN_TLS, DELIVERIES, RESET],
]
