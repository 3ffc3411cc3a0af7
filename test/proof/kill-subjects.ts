/** Everything that is killed. */
import {ACCESS} from './kill-access.js'
import {CREATE} from './kill-create.js'
import {DELIVERIES} from './kill-deliveries.js'
import {FORGET} from './kill-forget.js'
import {LISTEN} from './kill-listen.js'
import {reserve} from './kill-reserve.js'
import type {Subject} from './kill-scene.js'
import {VOUCHER} from './kill-voucher.js'

export const SUBJECTS: readonly Subject[] = [
  ...[reserve, ...ACCESS, CREATE, ...VOUCHER, FORGET],
  ...[...LISTEN, DELIVERIES],
]
