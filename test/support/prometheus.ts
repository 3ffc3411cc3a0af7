/** Reads metrics as Prometheus does, with a parser that is not ours. */
import parse from 'parse-prometheus-text-format'

/** Returns the samples of a text: the value by `name{label="value"}`, with the buckets and the count of histograms. */
export function samplesOf(text: string): Record<string, number> {
  const samples: Record<string, number> = {}
  for (const {name, metrics} of parse(text)) {
    for (const {labels = {}, value, buckets, count} of metrics) {
      const pairs = Object.entries(labels).map(([label, each]) => `${label}="${each}"`)
      if (value !== undefined)
        samples[pairs.length > 0 ? `${name}{${pairs.join(',')}}` : name] = Number(value)
      if (count !== undefined) samples[`${name}_count`] = Number(count)
      for (const [le, each] of Object.entries(buckets ?? {}))
        samples[`${name}_bucket{le="${le}"}`] = Number(each)
    }
  }
  return samples
}

/** Scrapes `/metrics` of an admin port. */
export async function scrape(adminUrl: string): Promise<Record<string, number>> {
  const answer = await fetch(`${adminUrl}/metrics`)
  if (answer.status !== 200) throw new Error(`metrics answered ${answer.status}`)
  return samplesOf(await answer.text())
}
