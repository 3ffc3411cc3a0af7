// Compiles src/ to dist/ and writes the command manifest, so that starting imports one command only.
// The new dist/ is made beside the old one and then takes its place, so that what runs meanwhile goes on running.
import {execFileSync} from 'node:child_process'
import {existsSync, renameSync, rmSync} from 'node:fs'
import {createRequire} from 'node:module'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const require = createRequire(import.meta.url)
const dist = join(root, 'dist')
const fresh = join(root, `dist.${process.pid}.new`)
const stale = join(root, `dist.${process.pid}.old`)

// oclif's own tool would ask the registry for a newer one.
const env = {...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true'}

/** Runs the `executable` of the package `packageName`, as npx would, its errors shown. */
function run(packageName, executable, stdout, ...argv) {
  const manifest = require.resolve(`${packageName}/package.json`)
  const bin = require(manifest).bin
  const script = join(dirname(manifest), typeof bin === 'string' ? bin : bin[executable])
  execFileSync(process.execPath, [script, ...argv], {cwd: root, stdio: ['ignore', stdout, 'inherit'], env})
}

try {
  run('typescript', 'tsc', 'inherit', '-p', 'tsconfig.build.json', '--outDir', fresh)
  if (existsSync(dist)) renameSync(dist, stale)
  renameSync(fresh, dist)
  run('oclif', 'oclif', 'ignore', 'manifest')
} catch (error) {
  // What failed has said why.
  process.exitCode = error.status || 1
} finally {
  for (const path of [fresh, stale]) rmSync(path, {recursive: true, force: true})
}
