/**
 * Checks the content of config.json by its one schema. The build puts the compiled check in the place of this module
 * (scripts/settings-check.js): every command reads the file at its start, and loading zod and ajv for it would take longer
 * than all the rest.
 */
import {Ajv2020} from 'ajv/dist/2020.js'
import {z} from 'zod'
import {type SettingsInFile, settingsFile} from './settings-schema.js'

/** The content of config.json as JSON Schema. */
export const schema = z.toJSONSchema(settingsFile)

/** Whether a value is valid content of config.json; `errors` has the first mistake, its outermost part last. */
export const validate = new Ajv2020({messages: false}).compile<SettingsInFile>(schema)
