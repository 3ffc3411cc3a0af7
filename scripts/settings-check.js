// The check of config.json as code that needs neither zod nor ajv: what src/state/settings-check.ts exports, compiled by ajv.
import {join} from 'node:path'
import {Ajv2020} from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import {tsImport} from 'tsx/esm/api'

/** A plugin of the bundler, for the sources in `source`. */
export function compiledSettingsCheck(source) {
  const checkFile = join(source, 'state/settings-check.ts')
  return {
    name: 'compiled-settings-check',
    async load(file) {
      if (file !== checkFile) return null
      const {schema} = await tsImport(checkFile, import.meta.url)
      return compile(schema)
    },
  }
}

function compile(schema) {
  const ajv = new Ajv2020({messages: false, code: {source: true, esm: true}})
  const check = standaloneCode.default(ajv, ajv.compile(schema))
  if (/\brequire\(|\bimport /.test(check)) {
    throw new Error(
      'the check of config.json needs ajv to run: its schema has a keyword that cannot be used here',
    )
  }
  return `${check}\nexport const schema = ${JSON.stringify(schema)}`
}
