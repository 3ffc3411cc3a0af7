/** The flags that choose among the events received. */
import * as Flags from '@oclif/core/flags'
import {checkedFlag} from '../../input/flags.js'
import {systemClock} from '../../session/connect.js'
import {readSince} from './events.js'

const sinceFlag = checkedFlag((field, text) => readSince(field, text, systemClock.now()))

export const eventFilterFlags = {
  id: Flags.string({
    helpValue: 'EVENT_ID',
    multiple: true,
    summary: 'these events only',
  }),
  type: Flags.string({
    helpValue: 'TYPE',
    multiple: true,
    summary: 'events of these types only',
  }),
  since: sinceFlag({
    helpValue: 'TIME|AGO',
    summary: 'received since a time, or in the last 30s, 10m, 2h, 1d',
  }),
}
