// Bundles src/ into dist/, split by command, and writes the command manifest. Starting then reads a dozen files instead
// of hundreds. It is CommonJS, which Node loads quicker than modules. Types are checked by `npm run typecheck`, not here.
// The new dist/ is made beside the old one and then takes its place, so that what runs meanwhile goes on running.
import {existsSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {dirname, join} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import {rolldown} from 'rolldown'
import {layers} from './layers.js'
import {licencesOf} from './licenses.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const fresh = join(root, `dist.${process.pid}.new`)
const stale = join(root, `dist.${process.pid}.old`)

// What stays a package of its own: native code, code that reads data files beside it, and what its licence keeps whole.
const EXTERNAL =
  /^(libsql|@napi-rs\/keyring|@jmespath-community\/jmespath|pdfkit|fontkit|dejavu-fonts-ttf)(\/|$)/

// Of oclif we use its flags, arguments and parser. Its runner, help, error screens and debug lines are imported at the
// top of those, never used by us (main.ts says why), and would be most of what each command loads.
const UNUSED_OF_OCLIF =
  /@oclif\/core\/lib\/(help\/(index|command|formatter|root)|errors\/(handle|errors\/pretty-print)|ux\/(index|list|theme|action\/.*|colorize-json))\.js$/
const UNUSED_BY_OCLIF = /node_modules\/(ejs|ansis|clean-stack|indent-string|debug|supports-color)\//

const withoutUnused = {
  name: 'without what is unused of oclif',
  load: {
    filter: {id: [UNUSED_OF_OCLIF, UNUSED_BY_OCLIF]},
    // A function, since some of them are called while oclif loads; and a refusal of flags asks for its colour.
    handler: () => ({
      code: 'module.exports = Object.assign(() => () => {}, {colorize: (_, text) => text})',
      moduleType: 'js',
    }),
  },
}

/** The ids of the commands, as src/cli/program.ts has them. */
const ids = readdirSync(join(root, 'src/commands'), {recursive: true})
  .map(file => file.split(/[\\/]/).join(':'))
  .filter(file => file.endsWith('.ts'))
  .map(file => file.slice(0, -'.ts'.length))
  .sort()
const fileOf = id => `commands/${id.replaceAll(':', '/')}`

try {
  await bundle(fresh)
  await writeManifest(fresh)
  if (existsSync(dist)) renameSync(dist, stale)
  renameSync(fresh, dist)
} finally {
  for (const path of [fresh, stale]) rmSync(path, {recursive: true, force: true})
}

/** Bundles into `directory`. An entry for each file that is found by its path: the start, each command, a thread. */
async function bundle(directory) {
  const entries = ['cli/main', 'cli/usage/command-facts', 'state/event-thread', ...ids.map(fileOf)]
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map(name => [name, join(root, 'src', `${name}.ts`)])),
    cwd: root,
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    external: EXTERNAL,
    plugins: [withoutUnused],
    checks: {emptyImportMeta: false, ineffectiveDynamicImport: false},
  })
  const {output} = await bundled.write({
    dir: directory,
    format: 'cjs',
    exports: 'named',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    sourcemap: true,
    sourcemapExcludeSources: true,
    minify: {compress: false, mangle: false, codegen: true},
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{name: layers(join(root, 'src')), debugName: 'layers'}],
    },
  })
  await bundled.close()
  writeFileSync(join(directory, 'LICENSES.txt'), licencesOf(output))
  writeFileSync(join(directory, 'package.json'), '{"type":"commonjs"}\n')
}

/** What help and completion know of the commands, taken from the commands as built; and their ids, for every start. */
async function writeManifest(directory) {
  const load = createRequire(join(directory, 'package.json'))
  const {describeCommands} = load('./cli/usage/command-facts.js')
  const facts = await describeCommands(ids, async id => load(`./${fileOf(id)}.js`).default)
  const commands = Object.fromEntries(facts.map(one => [one.id, one]))
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify({commands}))
  writeFileSync(join(directory, 'command-ids.json'), JSON.stringify(ids))
}
