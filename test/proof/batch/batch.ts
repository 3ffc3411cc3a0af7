/**
 * Batches: `reserve batch` books each trip of its file once, whether it is killed or stopped anywhere, whatever the network and
 * the service do, and however many runs of the same file there are at a time. The service counts what is booked twice
 * (service.ts); group.ts says what must hold.
 */

import {openBench} from '../shared/bench.js'
import {part} from '../shared/part.js'
import {withoutPostgres} from '../shared/stores.js'
import {FAULTS} from './faults.js'
import {KILLS} from './kills.js'
import {RUNS} from './runs.js'
import {STOPS} from './stops.js'

export const batches = part({
  title: 'Batch',
  unit: 'kills and runs',
  cells: [...KILLS, ...STOPS, ...FAULTS, ...RUNS],
  open: openBench,
  // Many runs wait for time limits.
  atOnce: 3,
  leftOut: withoutPostgres('batches'),
})
