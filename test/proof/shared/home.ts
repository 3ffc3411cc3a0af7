/** A sandbox and a home that the commands themselves have filled, whose configuration is copied for each cell. */
import {chmodSync, copyFileSync, mkdirSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import type {Finished} from '../../support/bookctl.js'
import {startLocalSandbox} from '../../support/local-sandbox.js'
import {Home, Side} from './scene.js'

/** `fill` works in the home; what it returns is part of the bench, with the configuration directory to copy. */
export async function openFilled<Filled extends object>(
  fill: (home: Home, origin: string) => Promise<Filled>,
) {
  const sandbox = await startLocalSandbox()
  const home = new Home({BOOKCTL_BASE_URL: sandbox.baseUrl})
  const close = async () => {
    home.remove()
    await sandbox.stop()
  }
  try {
    const filled = await fill(home, sandbox.origin)
    return {side: new Side(sandbox.origin), directory: home.configDirectory, ...filled, close}
  } catch (error) {
    await close()
    throw error
  }
}

/** Runs a command that must end with `exit`. */
export async function done(run: Promise<Finished>, exit = 0): Promise<Finished> {
  const finished = await run
  if (finished.exit !== exit) throw new Error(`it ended with ${finished.exit}: ${finished.stderr}`)
  return finished
}

/** Files and directories alone, with 0600 and 0700. */
export function copyDirectory(from: string, to: string): void {
  mkdirSync(to, {mode: 0o700})
  for (const entry of readdirSync(from, {withFileTypes: true})) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyDirectory(source, target)
    else {
      copyFileSync(source, target)
      chmodSync(target, 0o600)
    }
  }
}
