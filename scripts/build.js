// Bundles src/ into dist/, split by command, and writes the command manifest. Starting then reads a dozen files instead
// of hundreds. It is CommonJS, which Node loads quicker than modules. Types are checked by `npm run typecheck`, not here.
// The new dist/ is made beside the old one and then takes its place, so that what runs meanwhile goes on running.
import {existsSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {Plugin, settings} from '@oclif/core'
import {rolldown} from 'rolldown'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const fresh = join(root, `dist.${process.pid}.new`)
const stale = join(root, `dist.${process.pid}.old`)

// What stays a package of its own: native code, and code that reads data files beside it.
const EXTERNAL = /^(libsql|@napi-rs\/keyring|pdfkit|fontkit|dejavu-fonts-ttf)(\/|$)/

// Of oclif we use its commands, flags and parser. Its runner, help, error screens and debug lines are imported at the
// top of those, never used by us (main.ts says why), and would be most of what each command loads.
const UNUSED_OF_OCLIF =
  /@oclif\/core\/lib\/(config\/(index|config|plugin|ts-path)|help\/(index|command|formatter|root)|errors\/(handle|errors\/pretty-print)|ux\/(index|list|theme|action\/.*|colorize-json))\.js$/
const UNUSED_BY_OCLIF = /node_modules\/(ejs|wrap-ansi|ansis|clean-stack|indent-string|debug|supports-color)\//

const withoutUnused = {
  name: 'without what is unused of oclif',
  load: {
    filter: {id: [UNUSED_OF_OCLIF, UNUSED_BY_OCLIF]},
    // A function, since some of them are called while oclif loads.
    handler: () => ({code: 'module.exports = () => () => {}', moduleType: 'js'}),
  },
}

try {
  await bundle()
  if (existsSync(dist)) renameSync(dist, stale)
  renameSync(fresh, dist)
  await writeManifest()
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  for (const path of [fresh, stale]) rmSync(path, {recursive: true, force: true})
}

/** An entry for each file that is found by its path: the start, each command, and what runs in a thread. */
async function bundle() {
  const commands = readdirSync(join(root, 'src/commands'), {recursive: true, encoding: 'utf8'})
  const entries = ['cli/main.ts', 'state/event-thread.ts', ...commands.map(name => join('commands', name))]
  const input = Object.fromEntries(
    entries.filter(name => name.endsWith('.ts')).map(name => [name.slice(0, -3), join(root, 'src', name)]),
  )
  const bundled = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    external: EXTERNAL,
    plugins: [withoutUnused],
    checks: {emptyImportMeta: false, ineffectiveDynamicImport: false},
  })
  await bundled.write({
    dir: fresh,
    format: 'cjs',
    exports: 'named',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    sourcemap: true,
    sourcemapExcludeSources: true,
    minify: {compress: false, mangle: false, codegen: true},
  })
  await bundled.close()
  writeFileSync(join(fresh, 'package.json'), '{"type":"commonjs"}\n')
}

/** What help and completion know of the commands, taken from the commands as built. */
async function writeManifest() {
  settings.enableAutoTranspile = false
  const plugin = new Plugin({root, type: 'core', ignoreManifest: true, errorOnManifestCreate: true})
  await plugin.load()
  writeFileSync(join(root, 'oclif.manifest.json'), JSON.stringify(plugin.manifest))
}
