/** Worker processes for tests. They are started beforehand, so that their jobs can start at the same moment. */
import {type ChildProcess, fork} from 'node:child_process'
import {renameSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import {rolldown} from 'rolldown'
import type {Job} from './worker.js'

let script: Promise<string> | undefined

interface Result {
  readonly value?: unknown
  readonly failure?: string
}

export class Worker {
  private constructor(readonly process: ChildProcess) {}

  static async start(): Promise<Worker> {
    script ??= bundled()
    const child = fork(await script, {execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc']})
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve())
      child.once('exit', code => reject(new Error(`the worker ended with ${code}`)))
    })
    return new Worker(child)
  }

  static startMany(count: number): Promise<Worker[]> {
    return Promise.all(Array.from({length: count}, () => Worker.start()))
  }

  /** Resolves when the job is done or has failed. If the process ends, the job has failed. */
  run(job: Job, onNote?: (note: string) => void): Promise<Result> {
    return new Promise(resolve => {
      const finish = (result: Result) => {
        this.process.off('message', onMessage).off('exit', onExit)
        resolve(result)
      }
      const onMessage = (message: unknown) =>
        typeof message === 'string' ? onNote?.(message) : finish(message as Result)
      const onExit = () => finish({failure: 'the worker ended'})
      this.process.on('message', onMessage).on('exit', onExit)
      this.process.send(job)
    })
  }

  stop(): void {
    if (this.process.connected) this.process.disconnect()
  }
}

/** Bundles the worker into one JavaScript file, because that starts in a fraction of the time of tsx. Returns its path. */
async function bundled(): Promise<string> {
  const cache = fileURLToPath(new URL('../../node_modules/.cache/bookctl-tests', import.meta.url))
  const path = join(cache, 'worker.mjs')
  const bundle = await rolldown({
    input: fileURLToPath(new URL('worker.ts', import.meta.url)),
    platform: 'node',
    external: /^libsql(?:\/|$)/,
    checks: {emptyImportMeta: false, ineffectiveDynamicImport: false},
  })
  await bundle.write({file: `${path}.${process.pid}`, format: 'esm', codeSplitting: false})
  await bundle.close()
  // Renaming replaces the file in one step, because another process may be starting the previous one.
  renameSync(`${path}.${process.pid}`, path)
  return path
}
