/** How cost grows with size, as a row: linear or better is what is wanted. */
import {figure, type Row} from './figures.js'
import {exponents, median, spread} from './statistics.js'

/** Where measurements scatter, a linear cost shows an exponent up to this. */
const LINEAR = 1.1

/** The row of three sizes and what each cost, in milliseconds, in one or more runs. */
export function growth(
  measured: string,
  points: readonly {readonly size: number; readonly costs: readonly number[]}[],
): Row {
  const medians = points.map(({size, costs}) => ({size, cost: median(costs), costs}))
  const steps = exponents(medians)
  const last = steps.at(-1) as number
  const times = medians.map(({size, cost, costs}) => {
    const scatter = costs.length > 1 ? ` ± ${Math.round(spread(costs) * 50)} %` : ''
    return `${size.toLocaleString('en')}: ${Number(cost.toPrecision(3))} ms${scatter}`
  })
  return {
    measured: `${measured}: exponent of its cost`,
    against: '',
    ours: figure([last], ''),
    value: last,
    reach: {atMost: LINEAR},
    remark: `${times.join(', ')}; exponents ${steps.map(step => step.toFixed(2)).join(', ')}`,
  }
}
