/** All properties. */
import type {Property} from '../property.js'
import {answers, receiving} from './answers.js'
import {input} from './input.js'
import {dates, money} from './money-dates.js'
import {output} from './output.js'
import {redaction} from './redaction.js'
import {sanitiser} from './sanitiser.js'
import {webhooks} from './webhooks.js'

export const PROPERTIES: readonly Property[] = [
  ...sanitiser,
  ...redaction,
  ...money,
  ...dates,
  ...webhooks,
  ...input,
  ...output,
  ...answers,
  ...receiving,
]
