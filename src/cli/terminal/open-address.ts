import {spawn} from 'node:child_process'
import process from 'node:process'

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens an address in the browser without waiting for it. A missing browser is ignored. */
export function openAddress(address: string): void {
  const [program = 'xdg-open', ...rest] = OPENERS[process.platform] ?? []
  try {
    // The browser gets no BOOKCTL_* variables, because they may be secrets and it passes its environment on.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^BOOKCTL_/i.test(name)))
    const child = spawn(program, [...rest, address], {detached: true, stdio: 'ignore', env})
    child.on('error', () => {})
    child.unref()
  } catch {
    // An address too long for a command line throws instead of emitting an error.
  }
}
