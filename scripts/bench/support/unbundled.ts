/**
 * The same bookctl as it would run unbundled with its imports at the top: each source file a module of its own, the
 * packages as they were installed, and every module that a run of the command loads imported before it begins. Which
 * those are is seen from a run that loads them where the sources do.
 */
import {copyFileSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {type Bench, ROOT} from './bench.js'

const LIST_MODULES = new URL('../../../test/support/loaded-preload.mjs', import.meta.url).href

/** Writes it for the command `argv` of two words, run with `env`; returns the path of what starts it. */
export async function writeUnbundled(
  bench: Bench,
  argv: readonly string[],
  env: Record<string, string>,
): Promise<string> {
  const directory = bench.room()
  const command = argv.slice(0, 2).join('/')
  const inIt = (name: string) => join(directory, name)
  copyFileSync(join(ROOT, 'package.json'), inIt('package.json'))
  symlinkSync(join(ROOT, 'node_modules'), inIt('node_modules'))
  const settings = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noCheck: true,
      noEmit: false,
      types: [],
      rootDir: join(ROOT, 'src'),
      outDir: inIt('src'),
    },
    // oclif loads every command that it finds: there is this one.
    include: ['cli/shell/main.ts', 'cli/shell/hooks', 'cli/shell/help/help.ts', `commands/${command}.ts`].map(
      path => join(ROOT, 'src', path),
    ),
  }
  writeFileSync(inIt('tsconfig.json'), JSON.stringify(settings))
  await bench.node([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', directory])
  const start = `await main(process.argv.slice(2), {root: ${JSON.stringify(inIt('src'))}, isSource: true})\n`
  const fromMain = `import {main} from './src/cli/shell/main.js'\n${start}`
  writeFileSync(inIt('lazy.mjs'), fromMain)
  const LOADED_FILE = inIt('modules')
  await bench.node(['--import', LIST_MODULES, inIt('lazy.mjs'), ...argv], {env: {...env, LOADED_FILE}})
  const modules = new Set(readFileSync(LOADED_FILE, 'utf8').split('\n'))
  const imports = [...modules]
    .filter(path => /(?<!lazy)\.[cm]?js$/.test(path))
    .map(path => `import '${path}'\n`)
  writeFileSync(inIt('eager.mjs'), imports.join('') + fromMain)
  return inIt('eager.mjs')
}
