/** What `npm run generate` makes of settings-schema.ts. */
import type {ValidateFunction} from 'ajv'
import type {SettingsInFile} from './settings-schema.js'

/** Whether a value may be the content of config.json; `errors` then holds the first mistake, its outermost part last. */
export declare const validate: ValidateFunction<SettingsInFile>

/** The same rules as JSON Schema. */
export declare const schema: {readonly properties: object}
