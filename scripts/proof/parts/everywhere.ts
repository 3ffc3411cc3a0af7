/** The packed tarball, installed in a path with spaces and other scripts, on every Node and in all surroundings. */
import {join} from 'node:path'
import {inTwos} from '../../../test/proof/matrix.js'
import {SandboxSide} from '../../../test/proof/sandbox-side.js'
import {possibleSurroundings, tryOut} from '../../../test/proof/surroundings.js'
import {startLocalSandbox} from '../../../test/support/local-sandbox.js'
import {isRoot} from '../../../test/support/other-user.js'
import {bringNode, makeOpenDirectory, NODES, npm} from '../nodes.js'
import type {Part} from '../part.js'

const CELLS = NODES.flatMap(version =>
  possibleSurroundings().map(surroundings => ({
    ...{version, surroundings},
    name: `Node ${version} × ${surroundings.name}`,
  })),
)

export const everywhere: Part = {
  title: 'Everywhere',
  unit: 'cells',
  names: () => CELLS.map(({name}) => name),
  leftOut: () => (isRoot ? [] : ['another user: needs root, to be another user']),
  async run(names, tell) {
    const directory = makeOpenDirectory()
    const sandbox = await startLocalSandbox()
    try {
      const script = installTarball(directory)
      const reference = await new SandboxSide(sandbox.baseUrl).reservation('account')
      const [ordinary] = possibleSurroundings()
      for (const version of NODES) {
        const cells = CELLS.filter(cell => cell.version === version && names.has(cell.name))
        if (cells.length === 0) continue
        const node = bringNode(version, directory)
        const world = {service: sandbox.env, reference, expected: new Map<string, string>(), isWhole: true}
        // What the others are held against is there first.
        if (ordinary) await tryOut({node, script}, ordinary, world)
        await inTwos(cells, async ({name, surroundings}) => {
          const wrong = await tryOut({node, script}, surroundings, world)
          tell(name, {group: `Node ${version}`, wrong})
        })
      }
    } finally {
      await sandbox.stop()
    }
  },
}

/** Packs this project and installs it as a user would; returns the script that starts it. */
function installTarball(directory: string): string {
  const tarball = npm(['pack', '--pack-destination', directory]).trim().split('\n').at(-1) ?? ''
  const prefix = join(directory, 'bir dizin 名前 ğ')
  npm(['install', '--global', '--prefix', prefix, join(directory, tarball)])
  return join(prefix, 'lib/node_modules/bookctl/bin/run.js')
}
