/**
 * Metrics, and their text in the Prometheus exposition format 0.0.4. A series is an object whose value the caller
 * changes, so that counting needs no look-up.
 */

/**
 * Names and values of labels. A value must not come from an unsigned request, because each new value creates a series
 * that is never removed.
 */
type Labels = Readonly<Record<string, string>>

export interface Series {
  /** A series without a value is left out of the text, because its value is unknown. */
  value: number | undefined
}

interface Sample {
  readonly suffix: string
  readonly labels: Labels
  readonly series: Series
}

interface Family {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: Sample[]
}

/** The Content-Type of `Metrics.text()`. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export class Metrics {
  private readonly families = new Map<string, Family>()

  /** Adds a series that starts at 0 and only grows. Its name must end in `_total`. */
  counter(name: string, help: string, labels: Labels = {}): {value: number} {
    const series = {value: 0}
    this.family(name, 'counter', help).samples.push({suffix: '', labels, series})
    return series
  }

  /** Adds a series that may have any value, and has none at first. */
  gauge(name: string, help: string, labels: Labels = {}): Series {
    const series: Series = {value: undefined}
    this.family(name, 'gauge', help).samples.push({suffix: '', labels, series})
    return series
  }

  /** Adds a histogram with a bucket for each of `bounds`, which must be in ascending order. */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    const {samples} = this.family(name, 'histogram', help)
    const histogram = new Histogram(bounds)
    for (const [n, bound] of [...bounds, Number.POSITIVE_INFINITY].entries()) {
      const labels = {le: numberText(bound)}
      samples.push({suffix: '_bucket', labels, series: histogram.buckets[n] as Series})
    }
    samples.push({suffix: '_sum', labels: {}, series: histogram.sum})
    samples.push({suffix: '_count', labels: {}, series: histogram.buckets[bounds.length] as Series})
    return histogram
  }

  text(): string {
    return [...this.families].map(([name, family]) => familyText(name, family)).join('')
  }

  private family(name: string, type: Family['type'], help: string): Family {
    const known = this.families.get(name)
    if (known) return known
    const added: Family = {type, help, samples: []}
    this.families.set(name, added)
    return added
  }
}

/** Adds the metric with the versions of this program and of Node.js. */
export function versionGauge(metrics: Metrics, version: string): void {
  const labels = {version, node: process.version}
  metrics.gauge('bookctl_build_info', 'The version of this program.', labels).value = 1
}

export class Histogram {
  /** Buckets are cumulative: each also counts the values of the previous ones. The last bucket has no bound. */
  readonly buckets: readonly {value: number}[]
  readonly sum = {value: 0}

  constructor(private readonly bounds: readonly number[]) {
    this.buckets = [...bounds, Number.POSITIVE_INFINITY].map(() => ({value: 0}))
  }

  observe(value: number): void {
    this.sum.value += value
    let n = this.bounds.findIndex(bound => value <= bound)
    if (n < 0) n = this.bounds.length
    for (; n < this.buckets.length; n++) (this.buckets[n] as {value: number}).value += 1
  }
}

function familyText(name: string, {type, help, samples}: Family): string {
  const lines = [`# HELP ${name} ${help.replace(/[\\\n]/g, escaped)}`, `# TYPE ${name} ${type}`]
  for (const {suffix, labels, series} of samples) {
    if (series.value === undefined) continue
    const pairs = Object.entries(labels).map(
      ([label, value]) => `${label}="${value.replace(/[\\\n"]/g, escaped)}"`,
    )
    const braced = pairs.length === 0 ? '' : `{${pairs.join(',')}}`
    lines.push(`${name}${suffix}${braced} ${numberText(series.value)}`)
  }
  return `${lines.join('\n')}\n`
}

function escaped(character: string): string {
  return character === '\n' ? '\\n' : `\\${character}`
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value)
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}
