// Writes the command reference, docs/commands/, from the built commands; or into the directory named as argument.
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join, relative, resolve} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import {runOclif} from './manifest.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const directory = resolve(process.argv[2] ?? join(root, 'docs/commands'))
const room = mkdtempSync(join(tmpdir(), 'bookctl-docs-'))
try {
  // oclif also puts a list of the pages where a README has the tag for it; this one has none.
  const readme = join(room, 'README.md')
  writeFileSync(readme, '')
  rmSync(directory, {recursive: true, force: true})
  const dist = join(root, 'dist')
  const files = [
    '--plugin-directory',
    dist,
    '--readme-path',
    readme,
    '--output-dir',
    relative(dist, directory),
  ]
  runOclif(['readme', '--multi', '--no-source-links', ...files], room)
} finally {
  rmSync(room, {recursive: true})
}
