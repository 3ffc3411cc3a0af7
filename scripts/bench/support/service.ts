/** The service of references/service.cjs, and the settings with which bookctl asks it. */
import process from 'node:process'
import {type Bench, firstLine, reference} from './bench.js'

export interface LocalService {
  readonly baseUrl: string
  /** What points bookctl at it. */
  readonly env: Record<string, string>
  stop(): void
}

export async function startService(bench: Bench): Promise<LocalService> {
  const child = bench.start(process.execPath, [reference('service.cjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const {base_url: baseUrl} = await firstLine<{base_url: string}>(child)
  const env = {
    BOOKCTL_BASE_URL: baseUrl,
    BOOKCTL_CLIENT_ID: 'cid_bench',
    BOOKCTL_CLIENT_SECRET: 'sk_test_bench',
    BOOKCTL_CONFIG_DIR: bench.room(),
  }
  return {baseUrl, env, stop: () => void child.kill()}
}

/** What asks for `count` offers. */
export function searchArguments(count: number): string[] {
  const stay = ['--check-in', '2030-06-01', '--nights', '3', '--nationality', 'TR', '--currency', 'EUR']
  return ['hotels', 'search', '--city', String(count), ...stay]
}
