/**
 * Health and metrics of a sandbox for `sandbox start --admin`: whether its database can be written, and counts of
 * requests and deliveries.
 */

import type {Observed, Problem} from '../../../webhooks/observe/admin.js'
import {Metrics, versionGauge} from '../../../webhooks/observe/metrics.js'

/** Upper bounds of the histogram, in seconds. --latency may delay an answer by up to a minute. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]
const CLASSES = ['2xx', '3xx', '4xx', '5xx', 'none'] as const
const DELIVERY_STATES = ['pending', 'delivered', 'abandoned'] as const

/** The parts of a sandbox that are observed. */
interface ObservedSandbox {
  /** Throws a StorageError if the database cannot be written. */
  checkStore(): void
  /** Returns the number of deliveries in each status; the names are in capitals. Throws a StorageError. */
  countDeliveries(): Readonly<Record<string, number>>
}

export class SandboxObserver {
  private readonly metrics = new Metrics()
  private readonly requests: ReadonlyMap<string, {value: number}>
  private readonly seconds
  private readonly deliveries
  private readonly storeUp

  constructor(version: string) {
    const {metrics} = this
    const requests = 'Requests by the class of their answer; none where the connection was cut.'
    const add = (status: string) => metrics.counter('bookctl_sandbox_requests_total', requests, {status})
    this.requests = new Map(CLASSES.map(status => [status, add(status)]))
    this.seconds = metrics.histogram('bookctl_sandbox_request_seconds', 'Time until the answer.', SECONDS)
    this.deliveries = DELIVERY_STATES.map(state => ({
      state,
      gauge: metrics.gauge('bookctl_sandbox_deliveries', 'Deliveries of events by their state.', {state}),
    }))
    this.storeUp = metrics.gauge('bookctl_store_up', 'Whether the file of the sandbox can be written.')
    versionGauge(metrics, version)
  }

  /** Counts a request. `status` is null if the sandbox cut the connection instead of answering. */
  answered({status, milliseconds}: {readonly status: number | null; readonly milliseconds: number}): void {
    const name = status === null ? 'none' : `${Math.floor(status / 100)}xx`
    const series = this.requests.get(name)
    if (series) series.value += 1
    this.seconds.observe(milliseconds / 1000)
  }

  /** Returns what --admin serves about `sandbox`. */
  observe(sandbox: ObservedSandbox): Observed {
    const problems = (): Problem[] => {
      try {
        sandbox.checkStore()
        return []
      } catch (error) {
        return [{reason: 'store_failed', message: error instanceof Error ? error.message : String(error)}]
      }
    }
    return {
      problems,
      metrics: async () => {
        const isUp = problems().length === 0
        this.storeUp.value = Number(isUp)
        const counts = isUp ? sandbox.countDeliveries() : undefined
        for (const {state, gauge} of this.deliveries)
          gauge.value = counts && (counts[state.toUpperCase()] ?? 0)
        return this.metrics.text()
      },
    }
  }
}
