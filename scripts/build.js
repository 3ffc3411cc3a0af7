// Compiles src/ to dist/ and writes the command manifest, so that starting imports one command only.
import {execFileSync} from 'node:child_process'
import {rmSync} from 'node:fs'
import {createRequire} from 'node:module'
import {dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const require = createRequire(import.meta.url)

/** Runs the `name` executable of the package `name`, as npx would. */
function run(packageName, executable, ...argv) {
  const manifest = require.resolve(`${packageName}/package.json`)
  const bin = require(manifest).bin
  const script = join(dirname(manifest), typeof bin === 'string' ? bin : bin[executable])
  execFileSync(process.execPath, [script, ...argv], {cwd: root, stdio: ['ignore', 'ignore', 'inherit']})
}

rmSync(join(root, 'dist'), {recursive: true, force: true})
rmSync(join(root, 'oclif.manifest.json'), {force: true})
run('typescript', 'tsc', '-p', 'tsconfig.build.json')
run('oclif', 'oclif', 'manifest')
