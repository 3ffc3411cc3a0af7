/** Types of settings-check.js, which `npm run generate` makes from settings-schema.ts. */
import type {ValidateFunction} from 'ajv'
import type {SettingsInFile} from './settings-schema.js'

/** Whether a value is valid content of config.json; `errors` has the first mistake, its outermost part last. */
export declare const validate: ValidateFunction<SettingsInFile>

/** The same schema as JSON Schema. */
export declare const schema: {readonly properties: object}
