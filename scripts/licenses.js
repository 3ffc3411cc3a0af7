// The file of licences. Those of the bundled packages permit bundling if their text is included.
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

const ALLOWED = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']

/** The line after each part of the file. */
const RULE = `${'-'.repeat(80)}\n`

/**
 * Returns the text of the licence file: first the names of the packages in the `chunks` of the bundler and of those `loaded` at run
 * time, then the licences of the bundled ones. Throws for a package whose licence forbids bundling.
 */
export function licencesOf(chunks, loaded) {
  const modules = chunks.flatMap(({moduleIds = []}) => moduleIds)
  const folders = modules.flatMap(id => /.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? [])
  const bundled = [...new Set(folders)]
    .map(readPackage)
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  const contents = [
    'These packages are bundled into bookctl. Their licences follow.',
    '',
    ...bundled.map(({name, version}) => `  ${name} ${version}`),
    '',
    'These packages are not in bookctl. It loads them at run time from where they are installed, with their licences.',
    '',
    ...loaded.map(name => `  ${name}`),
    '',
    RULE,
  ]
  return [...contents, ...bundled.map(licenceOf)].join('\n')
}

function readPackage(folder) {
  const {name, version, license} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return {folder, name, version, license}
}

function licenceOf({folder, name, version, license}) {
  if (!ALLOWED.includes(license)) throw new Error(`${name} may not be bundled: its licence is ${license}`)
  const file = readdirSync(folder).find(one => /^licen[cs]e/i.test(one))
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`
  return `${name} ${version}\n\n${text}\n\n${RULE}`
}
