import {spawn} from 'node:child_process'
import process from 'node:process'

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Starts the browser and does not wait for it; ignores a missing browser. */
export function openAddress(address: string): void {
  const [program = 'xdg-open', ...rest] = OPENERS[process.platform] ?? []
  try {
    // Without BOOKCTL_* (secrets): a browser runs long and passes its environment on.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^BOOKCTL_/i.test(name)))
    const child = spawn(program, [...rest, address], {detached: true, stdio: 'ignore', env})
    child.on('error', () => {})
    child.unref()
  } catch {
    // An address too long for a command line is thrown, not emitted.
  }
}
