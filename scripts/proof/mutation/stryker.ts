/** Runs Stryker over the files of one group, and reads what became of each mutant. Installs it first where it is not. */
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {availableParallelism, tmpdir} from 'node:os'
import {join, relative} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import type {Group} from './groups.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const HERE = fileURLToPath(new URL('.', import.meta.url))
const STRYKER = join(HERE, 'node_modules/@stryker-mutator/core/bin/stryker.js')

export interface Mutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status:
    | 'Killed'
    | 'Timeout'
    | 'Survived'
    | 'NoCoverage'
    | 'RuntimeError'
    | 'CompileError'
    | 'Ignored'
  readonly location: {readonly start: {readonly line: number; readonly column: number}}
}

/** What is not in the lock file of the project: it would double what `npm ci` takes there. Throws when it cannot be had. */
export async function installStryker(): Promise<void> {
  if (existsSync(STRYKER)) return
  process.stderr.write('Installing Stryker in scripts/proof/mutation.\n')
  const {code, said} = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], HERE)
  if (code !== 0) throw new Error(`Stryker cannot be installed: ${said}`)
}

/** The mutants of `files`, by file, each tried against the tests of its group. Throws when the tests fail without any, or a file is absent. */
export async function mutate(
  group: Group,
  files: readonly string[],
  seed: number,
): Promise<ReadonlyMap<string, readonly Mutant[]>> {
  const absent = [...group.tests, ...files].filter(file => !existsSync(join(ROOT, file)))
  if (absent.length > 0)
    throw new Error(`The group ${group.name} names what does not exist: ${absent.join(', ')}`)
  const place = mkdtempSync(join(quickDirectory(), 'bookctl-mutants-'))
  const report = join(place, 'report.json')
  const config = join(place, 'stryker.config.json')
  writeFileSync(config, JSON.stringify(optionsFor(files, relative(ROOT, report))))
  try {
    const {code, said} = await run(process.execPath, [STRYKER, 'run', config], ROOT, {
      ...{TMPDIR: place, MUTATION_SEED: String(seed)},
      MUTATION_TESTS: group.tests.join(' '),
    })
    if (code !== 0 || !existsSync(report)) throw new Error(`Stryker ended with ${code}: ${said}`)
    const found = JSON.parse(readFileSync(report, 'utf8')) as {files: Record<string, {mutants: Mutant[]}>}
    return new Map(files.map(file => [file, found.files[file]?.mutants ?? []]))
  } finally {
    rmSync(place, {recursive: true, force: true})
  }
}

function optionsFor(files: readonly string[], report: string): object {
  return {
    mutate: files,
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: {configFile: 'scripts/proof/mutation/vitest.config.ts', related: false},
    coverageAnalysis: 'perTest',
    // It would rewrite the paths in it by a part of TypeScript that version 7 does not have.
    tsconfigFile: 'none',
    disableTypeChecks: false,
    ignorePatterns: ['/dist', '/dist.*', '/coverage'],
    reporters: ['json'],
    jsonReporter: {fileName: report},
    concurrency: Math.min(2, availableParallelism()),
    // Ours: no mutant that is merely slow is taken for one that never ends, on a machine that does other things beside.
    timeoutMS: 20_000,
    timeoutFactor: 3,
    cleanTempDir: 'always',
    allowConsoleColors: false,
    warnings: {slow: false},
  }
}

/** Memory, where there is some: the tests of the journal wait for a disk most of their time. */
function quickDirectory(): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return tmpdir()
  }
}

async function run(
  command: string,
  argv: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{code: number | null; said: string}> {
  const child = spawn(command, argv, {cwd, env: {...process.env, ...env}, stdio: ['ignore', 'pipe', 'pipe']})
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      said = (said + text).slice(-4000)
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return {code, said}
}
