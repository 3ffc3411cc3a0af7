/** Real processes for tests, started ahead so that they can be let go at the same moment. */
import {type ChildProcess, fork} from 'node:child_process'
import {bundledScript} from './bundled.js'
import type {Job} from './worker.js'

let script: Promise<string> | undefined
const STARTING_AT_ONCE = 4

interface WorkerFailure {
  readonly name: string
  readonly kind?: string
  readonly code?: string
  readonly message: string
  readonly hint?: string
}

export interface Result<T = unknown> {
  readonly value?: T
  readonly failure?: WorkerFailure
  readonly killed?: boolean
}

export class Worker {
  private constructor(readonly process: ChildProcess) {}

  static async start(): Promise<Worker> {
    script ??= bundledScript(new URL('worker.ts', import.meta.url))
    const child = fork(await script, {execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc']})
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve())
      child.once('exit', code => reject(new Error(`the worker ended with ${code}`)))
    })
    return new Worker(child)
  }

  static async startMany(count: number): Promise<Worker[]> {
    const workers: Worker[] = []
    while (workers.length < count) {
      const batch = Math.min(STARTING_AT_ONCE, count - workers.length)
      workers.push(...(await Promise.all(Array.from({length: batch}, () => Worker.start()))))
    }
    return workers
  }

  /** Resolves when the job is done, or with `killed` when the process ended before. */
  run<T = unknown>(job: Job, onNote?: (note: string) => void): Promise<Result<T>> {
    return new Promise(resolve => {
      const finish = (result: Result<T>) => {
        this.process.off('message', onMessage).off('exit', onExit)
        resolve(result)
      }
      const onMessage = (message: unknown) =>
        typeof message === 'string' ? onNote?.(message) : finish(message as Result<T>)
      const onExit = () => finish({killed: true})
      this.process.on('message', onMessage).on('exit', onExit)
      this.process.send(job)
    })
  }

  kill(): void {
    this.process.kill('SIGKILL')
  }

  stop(): void {
    if (this.process.connected) this.process.disconnect()
  }
}
