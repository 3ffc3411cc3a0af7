// Writes the command reference of the built commands to docs/commands/, or to the directory given as argument.
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
  // oclif also adds a list of the pages to a README with the tag for it; this README is empty.
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
