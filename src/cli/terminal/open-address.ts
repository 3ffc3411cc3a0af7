import {spawn} from 'node:child_process'
import process from 'node:process'

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens an address in the browser, without waiting for it. Does nothing if there is no browser. */
export function openAddress(address: string): void {
  const [program = 'xdg-open', ...rest] = OPENERS[process.platform] ?? []
  try {
    // The browser does not get BOOKCTL_* variables: they may be secrets, and it passes its environment to other
    // programs.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^BOOKCTL_/i.test(name)))
    const child = spawn(program, [...rest, address], {detached: true, stdio: 'ignore', env})
    child.on('error', () => {})
    child.unref()
  } catch {
    // If an address is too long for a command line, spawn throws instead of emitting an error.
  }
}
