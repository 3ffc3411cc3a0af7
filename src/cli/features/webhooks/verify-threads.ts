/**
 * The threads of `webhooks verify --jobs`. They check slices of a capture, and the main thread puts their results in order, the
 * same as if it had checked all lines itself.
 */
import type {Worker} from 'node:worker_threads'
import {Failure} from '../../../contract/failure.js'
import {startThread} from '../../../storage/thread.js'
import {type LineShortcut, readRecords} from '../../../webhooks/captures/records.js'
import type {CapturedRequest} from '../../../webhooks/captures/request.js'
import {partsOf, type Slice, sliceLines} from '../../../webhooks/captures/slices.js'
import {MOST_IN_VAIN} from '../../../webhooks/diagnose/check.js'
import type {RemovedSecret} from '../../../webhooks/diagnose/finding.js'
import type {NamedSecret} from '../../../webhooks/signature/signature.js'
import type {OutputFlags} from '../../terminal/output.js'
import type {RenderedResults, Verified} from './verify-results.js'
import type {VerifyTerms} from './verify-terms.js'

/** How results are printed. */
export interface ThreadOutput {
  /** Whether they are the list of one JSON document, instead of lines. */
  readonly isDocument: boolean
  readonly flags: OutputFlags
  /** Whether it is printed on stderr why requests are invalid. */
  readonly explains: boolean
}

export interface ThreadData {
  readonly terms: Pick<VerifyTerms, 'secrets' | 'names' | 'signature' | 'eventId' | 'toleranceSeconds' | 'at'>
  readonly output: ThreadOutput
}

export interface SliceMessage extends Slice {
  /** The name of the capture. */
  readonly name: string
  /** How many searches for a cause were in vain before, as far as known. */
  readonly inVain: number
}

export interface SliceResults extends RenderedResults {
  readonly text: Uint8Array<ArrayBuffer>
  /** The number of records that are not webhooks. */
  readonly leftOut: number
  /** How many searches for a cause were in vain. */
  readonly inVain: number
}

/** What only the main thread can look up. */
export type Question = {readonly name: 'stored'} | {readonly name: 'original'; readonly id: string}

/** The answer to `stored`. */
export interface StoredFacts {
  readonly otherSecrets: readonly NamedSecret[]
  readonly removedSecrets: readonly RemovedSecret[]
}

export type ToThread = SliceMessage | {readonly answer: unknown}

export type FromThread =
  | {readonly question: Question}
  /** `bytes` are those of the slice, in case that it has to be checked again. */
  | {readonly results: SliceResults; readonly bytes: Slice['bytes']}
  | {readonly failure: Pick<Failure, 'kind' | 'message' | 'details'>}

/** A slice from when it is read until its results are in order. */
interface Task {
  slice: Slice
  readonly name: string
  /** The number of searches in vain that the thread was told. */
  inVainBefore: number
  /** What the thread made of it. */
  done: SliceResults | Failure | undefined
  readonly resolve: (results: SliceResults) => void
  readonly reject: (error: unknown) => void
}

/** Bytes per slice: some milliseconds of work, so that passing it to a thread hardly counts. */
const SLICE_BYTES = 1024 * 1024

export interface ThreadsOptions {
  /** The number of threads. */
  readonly jobs: number
  readonly output: ThreadOutput
  readonly sliceBytes?: number
  readonly start?: (data: ThreadData) => Worker
}

export class VerifyThreads {
  private readonly workers: Worker[] = []
  private readonly idle: Worker[] = []
  private readonly tasks = new Map<Worker, Task>()
  /** Slices that no thread has yet. */
  private readonly waiting: Task[] = []
  /** Slices whose results are not final, in the order of the file. */
  private readonly unsettled: Task[] = []
  private problem: {readonly error: unknown} | undefined
  private isClosed = false

  constructor(
    private readonly terms: VerifyTerms,
    private readonly options: ThreadsOptions,
  ) {}

  /**
   * Yields the results of the lines in `pieces`, in their order. The main thread reads the first slice itself, and goes on until
   * there are two results, because a single result is printed in another form; the groups of these are as those of `readRecords`.
   * Threads start only then, because one that is starting delays the end of the process when the reader of stdout has gone.
   * Throws the errors of the threads.
   */
  async *readLines(
    pieces: AsyncIterable<Uint8Array>,
    name: string,
    leftOut: {count: number},
    shortcut: LineShortcut<Verified> | undefined,
  ): AsyncGenerator<readonly (CapturedRequest | Verified)[] | RenderedResults> {
    const {jobs, sliceBytes = SLICE_BYTES} = this.options
    const inOrder: Promise<SliceResults>[] = []
    const next = async (): Promise<RenderedResults> => {
      const results = await (inOrder.shift() as Promise<SliceResults>)
      leftOut.count += results.leftOut
      return results
    }
    let readHere = 0
    for await (const slice of sliceLines(pieces, sliceBytes)) {
      if (readHere >= 2) {
        inOrder.push(this.pass(slice, name))
        if (inOrder.length >= 2 * jobs) yield await next()
        continue
      }
      for await (const group of readRecords(partsOf(slice.bytes), leftOut, shortcut, slice.linesBefore)) {
        readHere += group.length
        yield group
      }
    }
    while (inOrder.length > 0) yield await next()
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    this.isClosed = true
    await Promise.all(this.workers.map(worker => worker.terminate()))
  }

  /** Starts the threads, unless they run. */
  private start(): void {
    const {jobs, output, start = startVerifyThread} = this.options
    const {secrets, names, signature, eventId, toleranceSeconds, at} = this.terms
    const terms = {secrets, names, signature, eventId, toleranceSeconds, at}
    while (this.workers.length < jobs) {
      const worker = start({terms, output})
      worker.on('message', message => this.receive(worker, message))
      worker.on('error', error => this.fail(error))
      worker.on('exit', () => this.fail(new Error('a thread of verify ended')))
      this.workers.push(worker)
      this.idle.push(worker)
    }
  }

  /** Gives the slice to a thread. Resolves with its final results, or rejects with an error. */
  private pass(slice: Slice, name: string): Promise<SliceResults> {
    this.start()
    const results = new Promise<SliceResults>((resolve, reject) => {
      const task: Task = {slice, name, inVainBefore: 0, done: undefined, resolve, reject}
      if (this.problem) return reject(this.problem.error)
      this.unsettled.push(task)
      this.waiting.push(task)
    })
    // An error is handled where the results are awaited.
    results.catch(() => {})
    this.assign()
    return results
  }

  /** Gives waiting slices to idle threads. */
  private assign(): void {
    while (this.waiting.length > 0 && this.idle.length > 0) {
      const task = this.waiting.shift() as Task
      const worker = this.idle.shift() as Worker
      const {bytes, linesBefore} = task.slice
      task.inVainBefore = this.terms.inVain.count
      this.tasks.set(worker, task)
      const message: ToThread = {bytes, linesBefore, name: task.name, inVain: task.inVainBefore}
      worker.postMessage(message, [bytes.buffer])
    }
  }

  private receive(worker: Worker, message: FromThread): void {
    if ('question' in message) {
      this.answer(message.question).then(
        answer => worker.postMessage({answer} satisfies ToThread),
        error => this.fail(error),
      )
      return
    }
    const task = this.tasks.get(worker) as Task
    this.tasks.delete(worker)
    this.idle.push(worker)
    if ('failure' in message) {
      const {kind, message: text, details} = message.failure
      task.done = new Failure(kind, text, details)
    } else {
      task.slice = {...task.slice, bytes: message.bytes}
      task.done = message.results
    }
    this.settle()
    this.assign()
  }

  private async answer(question: Question): Promise<unknown> {
    const {otherSecrets, removedSecrets, findOriginal} = this.terms
    if (question.name === 'original') return findOriginal?.(question.id)
    return {otherSecrets: otherSecrets(), removedSecrets: removedSecrets?.() ?? []} satisfies StoredFacts
  }

  /**
   * Makes results final that have only final ones before them. Causes are searched for until MOST_IN_VAIN searches of the whole
   * capture were in vain. A thread does not know how many will be in vain in slices before its own; if it may have searched too
   * often, the slice is checked again, now with the number known.
   */
  private settle(): void {
    const {inVain} = this.terms
    for (;;) {
      const [task] = this.unsettled
      const done = task?.done
      if (task === undefined || done === undefined) return
      if (done instanceof Failure) {
        this.fail(done)
        return
      }
      if (task.inVainBefore !== inVain.count && inVain.count + done.inVain >= MOST_IN_VAIN) {
        task.done = undefined
        this.waiting.unshift(task)
        return
      }
      inVain.count += done.inVain
      this.unsettled.shift()
      task.resolve(done)
    }
  }

  private fail(error: unknown): void {
    if (this.isClosed) return
    this.problem ??= {error}
    for (const {reject} of this.unsettled.splice(0)) reject(this.problem.error)
    this.waiting.length = 0
  }
}

function startVerifyThread(data: ThreadData): Worker {
  return startThread('cli/features/webhooks/verify-thread', data)
}
