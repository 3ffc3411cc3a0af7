/** Waiting that ends early when the command is stopped. */
import type {Clock} from '../types.js'

/** Waits so long, or until `signal` is aborted. */
export async function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal === undefined) return clock.sleep(milliseconds)
  if (signal.aborted) return
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      signal.removeEventListener('abort', end)
      resolve()
    }
    signal.addEventListener('abort', end)
    clock.sleep(milliseconds).then(end, reject)
  })
}
