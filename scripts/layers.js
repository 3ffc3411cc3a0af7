// Which modules of the bundle lie in one file. Left alone, the bundler makes a file of each set of modules that the same
// commands share, and a command reads some fifty of them; most of those are loaded by every command. `webhooks verify` of one
// file (`npm run bench`, verify) then takes 5 % more processor time on Node 20, and 12 % on Node 24 with its compile cache.
import {join} from 'node:path'

/**
 * These files, each with all it imports, less what is in a layer before it, are one file of the bundle. All of a
 * layer runs when one part of it is needed: what few of its commands use has no layer (null), and is left to the bundler.
 */
const LAYERS = [
  ['first', 'cli/terminal/streams.ts', 'cli/input/pending-reads.ts', 'cli/shell/running.ts'],
  // Lies in the file that starts everything.
  [null, 'cli/shell/main.ts'],
  ['start', 'cli/shell/program.ts', 'cli/shell/argv.ts'],
  ['command', 'cli/shell/base-command.ts', 'cli/input/flags.ts', 'cli/shell/exit-codes.ts'],
  ['session', 'state/state.ts', 'cli/session/resolve.ts'],
  [
    'answers',
    'api/answers/refusals.ts',
    'api/answers/facts.ts',
    'api/auth/tokens.ts',
    'cli/session/own-paths.ts',
  ],
  // Read certificates, write curl lines, keep a record: for commands that may not connect at all.
  [null, 'cli/session/trust.ts', 'api/trace/curl.ts', 'state/exchanges.ts'],
  ['connect', 'cli/session/connect.ts'],
  ['signed', 'cli/features/webhooks/verify.ts'],
]

/** Tells the bundler the layer of a module below `source` or of a package; null for what is in none. */
export function layers(source) {
  let layerOf
  return (module, graph) => {
    layerOf ??= walk(source, graph)
    return layerOf.get(module) ?? null
  }
}

function walk(source, graph) {
  const layerOf = new Map()
  const add = (module, layer) => {
    if (layerOf.has(module)) return
    layerOf.set(module, layer)
    for (const imported of graph.getModuleInfo(module)?.importedIds ?? []) add(imported, layer)
  }
  for (const [layer, ...files] of LAYERS) {
    for (const file of files) {
      const module = join(source, file)
      if (!graph.getModuleInfo(module))
        throw new Error(`scripts/layers.js: there is no src/${file}, or nothing uses it`)
      add(module, layer)
    }
  }
  return layerOf
}
