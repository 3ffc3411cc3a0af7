/** What gives each city its own hotels, by city id. */
import {EUROPE} from './places/europe.js'
import {GULF_AND_CASPIAN} from './places/gulf-and-caspian.js'
import type {Places} from './places/place.js'
import {TURKEY} from './places/turkey.js'
import {WORLD} from './places/world.js'

export const PLACES: Places = {...TURKEY, ...EUROPE, ...GULF_AND_CASPIAN, ...WORLD}
