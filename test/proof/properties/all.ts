/** All properties. */
import type {Property} from '../property.js'
import {answers, receiving} from './answers.js'
import {input} from './input.js'
import {dates, money} from './money-dates.js'
import {output} from './output.js'
import {redactionByLook} from './redaction-looks.js'
import {redactionByName} from './redaction-names.js'
import {redactionOfNumbers} from './redaction-numbers.js'
import {redactionOfSecrets} from './redaction-told.js'
import {sanitiser} from './sanitiser.js'
import {webhooks} from './webhooks.js'

export const PROPERTIES: readonly Property[] = [
  ...sanitiser,
  ...redactionOfSecrets,
  ...redactionByLook,
  ...redactionByName,
  ...redactionOfNumbers,
  ...money,
  ...dates,
  ...webhooks,
  ...input,
  ...output,
  ...answers,
  ...receiving,
]
