/** What all cells that look for leaks share: a local sandbox, and a home that knows a secret of every kind. */
import {startLocalSandbox} from '../support/local-sandbox.js'
import type {LeakBench} from './leak-cell.js'
import {makeKnowingHome} from './leak-home.js'
import {SandboxSide} from './sandbox-side.js'

export interface OpenLeakBench extends LeakBench {
  close(): Promise<void>
}

/** Nothing that it started is left when it fails. */
export async function openLeakBench(): Promise<OpenLeakBench> {
  const sandbox = await startLocalSandbox()
  try {
    const knowing = await makeKnowingHome(sandbox.origin)
    return {
      ...{side: new SandboxSide(sandbox.baseUrl), knowing},
      async close() {
        knowing.remove()
        await sandbox.stop()
      },
    }
  } catch (error) {
    await sandbox.stop()
    throw error
  }
}
