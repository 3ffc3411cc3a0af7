/** Real processes for tests, started ahead so that they can be let go at the same moment. */
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

  /** Resolves when the job is done or has failed; the end of the process is a failure. */
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

/** The worker as one JavaScript file, which starts in a fraction of the time that tsx takes; returns its path. */
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
  // Another process may be starting the file of before.
  renameSync(`${path}.${process.pid}`, path)
  return path
}
