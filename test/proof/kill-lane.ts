/** Where one kill after another is done: a local sandbox of its own, seen directly and through a proxy. */
import {randomUUID} from 'node:crypto'
import {Home} from '../support/bookctl.js'
import {type SandboxClient, startSandbox, type TestSandbox} from '../support/sandbox.js'
import {Wire} from '../support/wire.js'
import {SandboxSide} from './sandbox-side.js'

/** What the partner's home and account are called in every errand. */
export const CREDENTIALS = {BOOKCTL_CLIENT_ID: 'cid_sandbox', BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox'}

export class Lane {
  private readonly kept: {close(): Promise<void>}[] = []

  private constructor(
    private readonly sandbox: TestSandbox,
    readonly side: SandboxSide,
    private readonly client: SandboxClient,
  ) {}

  static async start(): Promise<Lane> {
    const sandbox = await startSandbox({clock: () => Date.now() / 1000, allowHttpLoopback: true})
    return new Lane(sandbox, new SandboxSide(sandbox.baseUrl), await sandbox.client())
  }

  /** What is left on the partner's account, in cents. */
  async balanceCents(): Promise<number> {
    const {json} = await this.client.call('GET', '/account')
    return Math.round(Number(json.data.balance) * 100)
  }

  /** A proxy before the sandbox, and a home that knows of no other way to it. */
  async openHome(credentials: Record<string, string> = CREDENTIALS): Promise<{home: Home; proxy: Wire}> {
    const {origin} = this.side
    const proxy = await Wire.start({upstream: origin, other: origin})
    const home = new Home({...credentials, BOOKCTL_BASE_URL: `${proxy.origin}/partner-api/v1`})
    return {home, proxy}
  }

  /** Closes `thing` with the lane. */
  keep<T extends {close(): Promise<void>}>(thing: T): T {
    this.kept.push(thing)
    return thing
  }

  async close(): Promise<void> {
    for (const thing of this.kept) await thing.close()
    await this.sandbox.close()
  }
}

export function newReference(): string {
  return `kill-${randomUUID()}`
}
