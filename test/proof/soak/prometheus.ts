/** A Prometheus server that scrapes the receiver and evaluates the rules of docs/operations.md. */
import {execFileSync, spawn, spawnSync} from 'node:child_process'
import {readFileSync, writeFileSync} from 'node:fs'
import type {AddressInfo} from 'node:net'
import {createServer} from 'node:net'
import {join} from 'node:path'
import process from 'node:process'
import {waitUntil} from '../../support/wait.js'

/** Returns why this machine cannot evaluate rules; undefined if it can. */
export function lacksPrometheus(): string | undefined {
  const isThere = (program: string) => spawnSync(program, ['--version']).status === 0
  return isThere('prometheus') && isThere('promtool')
    ? undefined
    : 'needs prometheus and promtool on the path'
}

const STEP_SECONDS = 5

/** Returns the rules that the documentation recommends. */
function documentedRules(): string {
  const text = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
  const [, rules] = /```yaml\n(groups:[\s\S]+?)```/.exec(text) ?? []
  if (rules === undefined) throw new Error('docs/operations.md has no rules')
  return rules
}

export type Alerts = Awaited<ReturnType<typeof startPrometheus>>

/** Starts to scrape the admin port at `adminUrl`. Keeps its files in `directory`. */
export async function startPrometheus(directory: string, adminUrl: string) {
  const rules = join(directory, 'rules.yml')
  writeFileSync(rules, documentedRules())
  execFileSync('promtool', ['check', 'rules', rules])
  const config = join(directory, 'prometheus.yml')
  const target = new URL(adminUrl).host
  writeFileSync(
    config,
    `global: {scrape_interval: ${STEP_SECONDS}s, scrape_timeout: ${STEP_SECONDS}s, evaluation_interval: ${STEP_SECONDS}s}
rule_files: [rules.yml]
scrape_configs: [{job_name: bookctl, static_configs: [{targets: ['${target}']}]}]
`,
  )
  const origin = `http://127.0.0.1:${await freePort()}`
  const words = [
    '--config.file',
    config,
    '--storage.tsdb.path',
    join(directory, 'data'),
    '--log.level',
    'warn',
  ]
  const child = spawn('prometheus', [...words, '--web.listen-address', new URL(origin).host], {
    stdio: 'ignore',
  })
  const isReady = () =>
    fetch(`${origin}/-/ready`).then(
      answer => answer.ok,
      () => false,
    )
  await waitUntil(isReady, 'Prometheus')
  const began = Date.now() / 1000
  return {
    /** Returns the times (Unix seconds) at which each alert fired, oldest first. */
    async fired(): Promise<Map<string, number[]>> {
      const query = new URLSearchParams({
        query: 'max by (alertname) (ALERTS{alertstate="firing"})',
        start: String(began),
        end: String(Date.now() / 1000),
        step: String(STEP_SECONDS),
      })
      const answer = (await (await fetch(`${origin}/api/v1/query_range?${query}`)).json()) as {
        data: {result: {metric: {alertname: string}; values: [number, string][]}[]}
      }
      return new Map(
        answer.data.result.map(({metric, values}) => [metric.alertname, values.map(([time]) => time)]),
      )
    },
    stop: () => void child.kill('SIGKILL'),
    pid: child.pid ?? process.pid,
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const {port} = server.address() as AddressInfo
  await new Promise(resolve => void server.close(resolve))
  return port
}
