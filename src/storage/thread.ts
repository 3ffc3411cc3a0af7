/** Starts threads of this program. */
import {Worker} from 'node:worker_threads'

/**
 * Starts the thread whose file in src/ is `name`, such as `state/event-thread`. A build has it as a file under dist/; from
 * source, the thread has to load tsx first.
 */
export function startThread(name: string, workerData: unknown): Worker {
  const url = import.meta.url
  const built = url.replace(/(.*\/dist\/).*/, `$1${name}.js`)
  if (!url.endsWith('.ts')) return new Worker(new URL(built), {workerData})
  const tsx = import.meta.resolve('tsx/esm/api')
  const entry = new URL(`../${name}.ts`, url)
  const code = `import('${tsx}').then(({register}) => { register(); return import('${entry}') })`
  return new Worker(code, {eval: true, workerData})
}
