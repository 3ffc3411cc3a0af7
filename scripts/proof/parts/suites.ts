/** The whole of `npm test`, twenty times in a row, on each Node in turn. */
import {spawn} from 'node:child_process'
import {existsSync, readFileSync, rmSync} from 'node:fs'
import {delimiter, dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {bringNode, makeOpenDirectory, NODES} from '../nodes.js'
import type {Part} from '../part.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** One flake in twenty runs is a broken test. */
const RUNS = 20

const SUITES = Array.from({length: Math.ceil(RUNS / NODES.length)}, () => NODES)
  .flat()
  .slice(0, RUNS)
  .map((version, n) => ({
    name: `run ${String(n + 1).padStart(2, '0')} of ${RUNS}, Node ${version}`,
    group: `Node ${version}`,
    version,
  }))

export const suites: Part = {
  title: 'Whole suite',
  unit: 'tests',
  names: () => SUITES.map(({name}) => name),
  async run(names, tell) {
    const directory = makeOpenDirectory()
    const nodes = new Map<string, string>()
    for (const {name, group, version} of SUITES.filter(each => names.has(each.name))) {
      const node = nodes.get(version) ?? bringNode(version, directory)
      nodes.set(version, node)
      tell(name, {group, ...(await runSuite(node, join(directory, 'results.json')))})
    }
  },
}

async function runSuite(node: string, results: string): Promise<{count: number; wrong: string[]}> {
  rmSync(results, {force: true})
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const child = spawn(node, [vitest, 'run', '--reporter=json', `--outputFile=${results}`], {
    cwd: ROOT,
    env: {...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter)},
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const stop = () => child.kill()
  process.once('exit', stop)
  const exit = await new Promise(resolve => child.once('error', resolve).once('close', resolve))
  process.off('exit', stop)
  if (!existsSync(results)) return {count: 0, wrong: [`vitest ended with ${exit}, and no results`]}
  const {numPassedTests, testResults} = JSON.parse(readFileSync(results, 'utf8'))
  const wrong: string[] = testResults.flatMap(failuresOf)
  if (exit !== 0 && wrong.length === 0) wrong.push(`vitest ended with ${exit}`)
  return {count: numPassedTests, wrong}
}

interface FileResult {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly assertionResults: readonly {status: string; fullName: string; failureMessages: string[]}[]
}

function failuresOf({name, status, message, assertionResults}: FileResult): string[] {
  const failed = assertionResults.filter(each => each.status === 'failed')
  if (failed.length === 0 && status === 'failed') return [`${name}: ${message}`]
  return failed.map(
    ({fullName, failureMessages}) => `${fullName}: ${failureMessages.join('\n').slice(0, 1000)}`,
  )
}
