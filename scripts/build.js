// Bundles src/ into dist/, with a file for each command, and writes the command manifest. A start then reads a dozen files
// instead of hundreds. The format is CommonJS, which Node loads faster than ES modules. Types are checked by `npm run typecheck`,
// not here. The new dist/ is built beside the old one and then replaces it, so that running programs are not disturbed.
import {existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import {rolldown} from 'rolldown'
import {layers} from './layers.js'
import {licencesOf} from './licenses.js'
import {writeManifest} from './manifest.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const fresh = join(root, `dist.${process.pid}.new`)
const stale = join(root, `dist.${process.pid}.old`)

/** The `oclif` section of package.json describes dist/, and for bin/dev.js also src/. */
const {name, version, oclif, dependencies, optionalDependencies} = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)

// Packages that are loaded at run time are dependencies and stay outside the bundle: native code, code that reads its own data
// files, and packages whose licence requires it. Everything else is bundled, and is a devDependency.
const loaded = Object.keys({...dependencies, ...optionalDependencies})
const external = loaded.map(name => new RegExp(`^${name}(/|$)`))

/** The ids of the commands, for example `hotels:search` for src/commands/hotels/search.ts. */
const ids = readdirSync(join(root, 'src/commands'), {recursive: true})
  .map(file => file.split(/[\\/]/).join(':'))
  .filter(file => file.endsWith('.ts'))
  .map(file => file.slice(0, -'.ts'.length))
  .sort()
const fileOf = id => `commands/${id.replaceAll(':', '/')}`

try {
  await bundle(fresh)
  writeManifest(fresh)
  if (existsSync(dist)) renameSync(dist, stale)
  renameSync(fresh, dist)
} finally {
  for (const path of [fresh, stale]) rmSync(path, {recursive: true, force: true})
}

/**
 * Bundles into `directory`. Each file that is loaded by its path is an entry: the start, the files that oclif loads, the
 * threads, and a process beside `sandbox run`.
 */
async function bundle(directory) {
  const named = [oclif.helpClass, ...Object.values(oclif.hooks)].map(path => path.replace('./', ''))
  const entries = [
    'cli/shell/main',
    'state/event-thread',
    'cli/features/webhooks/verify-thread',
    'cli/features/sandbox/run-guard',
    ...named,
    ...ids.map(fileOf),
  ]
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map(name => [name, join(root, 'src', `${name}.ts`)])),
    cwd: root,
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    external,
    // The main file of jsonc-parser is UMD. It requires its parts by a parameter named `require`, which the bundler does not follow,
    // so that a bundle of it would end with "Cannot find module './impl/format'". Its ES modules are in `lib/esm`.
    resolve: {alias: {'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js')}},
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
    minify: {compress: false, mangle: true, codegen: true},
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{name: layers(join(root, 'src')), debugName: 'layers'}],
    },
  })
  await bundled.close()
  writeFileSync(join(directory, 'LICENSES.txt'), licencesOf(output, loaded))
  const files = ['oclif.manifest.json']
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({name, version, type: 'commonjs', files, oclif}),
  )
}
