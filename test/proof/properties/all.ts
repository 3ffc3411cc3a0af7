/** All properties. */
import type {Property} from '../property.js'
import {dates, money} from './money-dates.js'
import {redaction} from './redaction.js'
import {sanitiser} from './sanitiser.js'

export const PROPERTIES: readonly Property[] = [...sanitiser, ...redaction, ...money, ...dates]
