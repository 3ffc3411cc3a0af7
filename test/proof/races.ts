/** All races there are; see race-scene.ts for what one is. */

import {RESERVE_RACES} from './race-reserve.js'
import type {Race} from './race-scene.js'

export const RACES: readonly Race[] = [...RESERVE_RACES]
