/** Waiting for other processes where SQLite itself does not: its own patience does not hold for everything. */
import {StorageError, storageErrorOf} from './errors.js'

/** Ours: how long another process's transaction is waited for. */
export const PATIENCE_MILLISECONDS = 30_000
/** Ours. */
const TRY_AGAIN_MILLISECONDS = 10

/** Tries until `isDone`, also while SQLite calls `path` busy. Throws StorageError: `busy` when time is up. */
export function untilFree(patienceMilliseconds: number, path: string, isDone: () => boolean): void {
  for (const end = performance.now() + patienceMilliseconds; ; ) {
    let busy = new StorageError('busy', `${path} is in use by another process`, 'run the command again')
    try {
      if (isDone()) return
    } catch (error) {
      busy = storageErrorOf(error, path)
      if (busy.fault !== 'busy') throw busy
    }
    if (performance.now() >= end) throw busy
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_AGAIN_MILLISECONDS)
  }
}
