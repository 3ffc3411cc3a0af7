/** What all cells of files and disks share: a local sandbox, and a home in which everything is stored. */
import {startLocalSandbox} from '../support/local-sandbox.js'
import {makeTemplate, type Template} from './file-home.js'
import {SandboxSide} from './sandbox-side.js'

export interface FileBench {
  readonly side: SandboxSide
  readonly template: Template
  close(): Promise<void>
}

/** Nothing that it started is left when it fails. */
export async function openFileBench(): Promise<FileBench> {
  const sandbox = await startLocalSandbox()
  try {
    const template = await makeTemplate(sandbox)
    return {
      ...{side: new SandboxSide(sandbox.baseUrl), template},
      async close() {
        template.remove()
        await sandbox.stop()
      },
    }
  } catch (error) {
    await sandbox.stop()
    throw error
  }
}
