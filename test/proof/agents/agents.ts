/**
 * Agents: a malicious client of `bookctl mcp` causes no second reservation and passes no limit, whatever it sends and whenever its
 * server dies; and a service that writes hostile texts changes nothing but text. The service counts what is booked twice
 * (batch/service.ts); scene.ts says what must hold.
 */

import {openBench} from '../shared/bench.js'
import {part} from '../shared/part.js'
import {withoutPostgres} from '../shared/stores.js'
import {COURSES} from './courses.js'
import {FRAMES} from './frames.js'
import {HANDLES} from './handles.js'
import {KILLS} from './kills.js'
import {LIMITS} from './limits.js'
import {TEXT_CELLS} from './texts.js'

export const agents = part({
  title: 'Agents',
  unit: 'cells and kills',
  cells: [...HANDLES, ...LIMITS, ...FRAMES, ...TEXT_CELLS, ...COURSES, ...KILLS],
  open: openBench,
  leftOut: withoutPostgres('agents'),
})
