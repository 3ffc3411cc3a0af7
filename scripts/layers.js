// Decides which modules of the bundle share a file. By default the bundler makes a file for each set of modules that the same
// commands share. A command then reads about fifty files, most of which every command needs, and `webhooks verify` for one file
// (`npm run bench`, verify) takes 5 % more processor time on Node 20, and 12 % on Node 24 with its compile cache.
import {join} from 'node:path'

/**
 * Each layer is one file of the bundle. It contains the named files and all that they import, except what an earlier layer
 * contains. Node loads a layer as a whole. Files that only a few commands use have no layer (null), and are left to the bundler.
 */
const LAYERS = [
  ['first', 'cli/terminal/streams.ts', 'cli/input/pending-reads.ts', 'cli/shell/running.ts'],
  // With `checked`, all that a thread of `webhooks verify` loads, so that it starts in a quarter of the time. Every command needs
  // these files.
  [
    'shown',
    'cli/terminal/output.ts',
    'cli/terminal/list-aside.ts',
    'contract/dates.ts',
    'contract/events.ts',
    'contract/identifiers.ts',
    'contract/limits.ts',
  ],
  // main.ts belongs to the entry file of the program.
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
  // These files read certificates, write curl lines and record requests. Commands that may not connect need them too.
  [null, 'cli/session/trust.ts', 'api/trace/curl.ts', 'state/exchanges.ts'],
  ['connect', 'cli/session/connect.ts'],
  [
    'checked',
    'cli/features/webhooks/verify-results.ts',
    'cli/features/webhooks/verify-terms.ts',
    'webhooks/captures/slices.ts',
    'webhooks/diagnose/check.ts',
  ],
  ['signed', 'cli/features/webhooks/verify.ts', 'cli/features/webhooks/verify-inputs.ts'],
]

/** Returns a function that gives the bundler the layer of a module under `source` or of a package; null if it has none. */
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
