/** What the figures are made of: medians, spread, percentiles, and the exponent by which work grows. */

/** The value below which `part` (0 to 1) of `values` are. */
export function percentile(values: Iterable<number>, part: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** The middle value; of an even count, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle] as number
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** How far the middle half of `values` lies apart, as a part of the median: 0.05 is ± 2.5 %. */
export function spread(values: readonly number[]): number {
  return (percentile(values, 0.75) - percentile(values, 0.25)) / median(values)
}

/**
 * The exponents e of cost ∝ size^e, one from each size to the next: 1 is linear, 0 does not grow. Where a fixed cost
 * (starting) weighs, the first is small; what the last one says is what counts.
 */
export function exponents(points: readonly {readonly size: number; readonly cost: number}[]): number[] {
  return points.slice(1).map((point, n) => {
    const before = points[n] as {size: number; cost: number}
    return Math.log(point.cost / before.cost) / Math.log(point.size / before.size)
  })
}
