/** All races there are; see race-scene.ts for what one is. */
import {FILE_RACES} from './race-files.js'
import {RESERVE_RACES} from './race-reserve.js'
import type {Race} from './race-scene.js'
import {SERVER_RACES} from './race-servers.js'
import {SETTINGS_RACES} from './race-settings.js'
import {TOKEN_RACES} from './race-tokens.js'

export const RACES: readonly Race[] = [
  ...TOKEN_RACES,
  ...RESERVE_RACES,
  ...SETTINGS_RACES,
  ...FILE_RACES,
  ...SERVER_RACES,
]
