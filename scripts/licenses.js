// The licences of the bundled packages. They permit bundling if their text is included.
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

const ALLOWED = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']

/**
 * Returns the licence texts of all packages in the `chunks` of the bundler. Throws for a package whose licence forbids bundling.
 */
export function licencesOf(chunks) {
  const modules = chunks.flatMap(({moduleIds = []}) => moduleIds)
  const folders = modules.flatMap(id => /.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? [])
  return [...new Set(folders)].sort().map(licenceOf).join('\n')
}

function licenceOf(folder) {
  const {name, version, license} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (!ALLOWED.includes(license)) throw new Error(`${name} may not be bundled: its licence is ${license}`)
  const file = readdirSync(folder).find(one => /^licen[cs]e/i.test(one))
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`
  return `${name} ${version}\n\n${text}\n\n${'-'.repeat(80)}\n`
}
