/** Lengths of time as people type them. */
import {invalid} from './checks.js'

const SECONDS: Readonly<Record<string, number>> = {s: 1, m: 60, h: 3600, d: 86_400}

/** Seconds of `30s`, `16m`, `2h`, `1d`, or a sum such as `1h30m`; a bare number is seconds. Throws usage. */
export function readDuration(field: string, text: string): number {
  const parts = /^\d{1,9}$/.test(text)
    ? [`${text}s`]
    : text.match(/^(\d{1,9}[smhd])+$/) && text.match(/\d+[smhd]/g)
  if (!parts) throw invalid(field, 'must be a length of time such as 30s, 16m, 2h or 1d', text)
  return parts.reduce((sum, part) => sum + Number(part.slice(0, -1)) * (SECONDS[part.slice(-1)] ?? 0), 0)
}
