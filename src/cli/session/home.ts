import {homedir} from 'node:os'

/** The user's home directory; undefined where HOME is empty, or the system does not know the user. */
export function homeDirectory(): string | undefined {
  try {
    return homedir() || undefined
  } catch {
    return undefined
  }
}
