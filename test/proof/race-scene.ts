/** What a race has: a home of its own for all its processes, and a proxy that sees every request on its way to the sandbox. */
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {type Finished, Home} from '../support/bookctl.js'
import {type LocalSandbox, startLocalSandbox} from '../support/local-sandbox.js'
import {connectTo, type SandboxClient} from '../support/sandbox.js'
import {Wire, type WireRequest} from '../support/wire.js'
import {type CrowdOptions, crowd} from './race-crowd.js'

export interface Race {
  /** `reserve: the same request`: what stands before the colon is its group. */
  readonly name: string
  /** What is wrong, one line each. */
  readonly run: (scene: Scene) => Promise<string[]>
}

export const groupOf = ({name}: {readonly name: string}): string => name.split(':', 1)[0] ?? name

export class Scene {
  private constructor(
    readonly count: number,
    readonly sandbox: LocalSandbox,
    readonly proxy: Wire,
    readonly home: Home,
    readonly client: SandboxClient,
  ) {}

  static async open(sandbox: LocalSandbox, count: number): Promise<Scene> {
    await fetch(`${sandbox.origin}/_sandbox/reset`, {method: 'POST'})
    const proxy = await Wire.start({upstream: sandbox.origin, other: 'http://127.0.0.1:1'})
    const home = new Home({
      BOOKCTL_BASE_URL: `${proxy.origin}/partner-api/v1`,
      BOOKCTL_CLIENT_ID: 'cid_sandbox',
      BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox',
    })
    return new Scene(count, sandbox, proxy, home, await connectTo(sandbox.origin))
  }

  get baseUrl(): string {
    return `${this.proxy.origin}/partner-api/v1`
  }

  /** `of(0)` … `of(count - 1)`. */
  each<T>(of: (index: number) => T): T[] {
    return Array.from({length: this.count}, (_, index) => of(index))
  }

  crowd(members: readonly (readonly string[])[], options?: CrowdOptions): Promise<Finished[]> {
    return crowd(this.home, members, options)
  }

  /** Requests that came whole, by the end of their path. */
  sent(method: string, path: string): WireRequest[] {
    return this.proxy.requests.filter(
      each => each.method === method && each.path === `/partner-api/v1${path}`,
    )
  }

  /** In hundredths. */
  async balance(): Promise<number> {
    const {json} = await this.client.call('GET', '/account')
    return Math.round(Number(json.data.balance) * 100)
  }

  /** `count` offers for two adults, cheapest first, that nobody used; each search gives new ones. */
  async offers(count: number): Promise<{offer_id: string; price: {total: string}}[]> {
    const found: {offer_id: string; price: {total: string}}[] = []
    while (found.length < count) {
      const stay = {check_in: '2030-06-01', check_out: '2030-06-02'}
      const offers = await this.client.search(stay)
      found.push(...offers.sort((a, b) => Number(a.price.total) - Number(b.price.total)).slice(0, 10))
    }
    return found.slice(0, count)
  }

  // biome-ignore lint/suspicious/noExplicitAny: reservations as they come
  async reservations(): Promise<any[]> {
    return (await this.client.call('GET', '/reservations?limit=200')).json.data
  }

  /** Revokes a token at the service, behind the back of this machine. */
  async revoke(token: string): Promise<void> {
    await fetch(`${this.sandbox.baseUrl}/oauth/revoke`, {
      method: 'POST',
      headers: {'content-type': 'application/json'},
      body: JSON.stringify({token}),
    })
  }

  async close(): Promise<void> {
    await this.proxy.close()
    this.home.remove()
  }
}

/** Every byte of every file in the configuration directory. */
export function bytesIn({configDirectory}: Home): string {
  return readdirSync(configDirectory, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name)).toString('utf8'))
    .join('\n')
}

/** Runs `races`, one after the other, each with `count` processes; `onResult` is told of each as it ends. */
export async function runRaces(
  races: readonly Race[],
  count: number,
  onResult: (race: Race, wrong: readonly string[]) => void,
): Promise<void> {
  const sandbox = await startLocalSandbox()
  try {
    for (const race of races) {
      const scene = await Scene.open(sandbox, count)
      const wrong = await race
        .run(scene)
        .catch(error => [`the race itself failed: ${(error as Error).stack}`])
        .finally(() => scene.close())
      onResult(race, wrong)
    }
  } finally {
    await sandbox.stop()
  }
}
