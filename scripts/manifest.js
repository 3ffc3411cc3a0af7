// Writes what oclif knows about the built commands: the manifest for help and completion, and a short version of it. Every start
// reads the short version to separate the command's name from its arguments.
import {execFileSync} from 'node:child_process'
import {readFileSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {dirname, join} from 'node:path'
import process from 'node:process'

const manifest = createRequire(import.meta.url).resolve('oclif/package.json')
const oclif = join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.oclif)

/** Runs oclif's own command line, without its search for a newer version in the background. */
export function runOclif(argv, directory) {
  const env = {...process.env, NODE_ENV: 'production', OCLIF_SKIP_NEW_VERSION_CHECK: 'true', COLUMNS: '100'}
  execFileSync(process.execPath, [oclif, ...argv], {
    cwd: directory,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** Writes oclif.manifest.json and commands.json for the commands built into `directory`. */
export function writeManifest(directory) {
  runOclif(['manifest', directory], directory)
  const file = join(directory, 'oclif.manifest.json')
  const {version, commands} = JSON.parse(readFileSync(file, 'utf8'))
  // oclif writes the commands in the order in which their files were found.
  const ids = Object.keys(commands).sort()
  const inOrder = Object.fromEntries(ids.map(id => [id, commands[id]]))
  writeFileSync(file, JSON.stringify({version, commands: inOrder}))
  const table = ids.map(id => {
    const {hidden, strict, args} = commands[id]
    const names = Object.fromEntries(Object.keys(args).map(name => [name, {}]))
    return {id, hidden, strict: strict === false ? false : undefined, args: names}
  })
  writeFileSync(join(directory, 'commands.json'), JSON.stringify(table))
}
