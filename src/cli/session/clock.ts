import {setTimeout as sleep} from 'node:timers/promises'
import type {Clock} from '../../api/types.js'

export const systemClock: Clock = {
  now: () => Date.now() / 1000,
  sleep: async milliseconds => void (await sleep(milliseconds)),
}
