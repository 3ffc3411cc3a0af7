/** Shows the progress of a batch as a bar on the last line of a terminal, with the remaining time. */
import process from 'node:process'
import {wantsAccessible} from '../../terminal/colour.js'
import {stderrIsTerminal} from '../../terminal/streams.js'
import {clearTransient, isAsking, say, showTransient} from '../../terminal/talk.js'
import {type BatchRow, OUTCOMES} from './rows.js'

const WIDTH = 20
/** In accessible mode, how often a line is printed. */
const PLAIN_SECONDS = 10

export class BatchProgress {
  private done = 0
  private readonly startedAt = performance.now()
  private saidAt = performance.now()
  private readonly isShown: boolean

  constructor(
    private readonly label: string,
    private readonly total: number,
    isQuiet: boolean,
  ) {
    this.isShown = !isQuiet && !process.env.CI && stderrIsTerminal()
  }

  /** Counts one more trip as finished. `rows` are those whose outcomes are counted. */
  step(rows: readonly BatchRow[] = []): void {
    this.done += 1
    if (!this.isShown || isAsking()) return
    const text = this.text(rows)
    if (!wantsAccessible(process.env)) showTransient(text)
    else if (performance.now() - this.saidAt >= PLAIN_SECONDS * 1000) {
      this.saidAt = performance.now()
      say(text)
    }
  }

  end(): void {
    clearTransient()
  }

  private text(rows: readonly BatchRow[]): string {
    const {done, total, label, startedAt} = this
    const filled = Math.round((WIDTH * done) / Math.max(1, total))
    const bar = `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}]`
    const elapsed = (performance.now() - startedAt) / 1000
    const left = Math.ceil((elapsed / done) * (total - done))
    const counts = OUTCOMES.filter(outcome => outcome !== 'planned' && outcome !== 'not_sent').flatMap(
      outcome => {
        const count = rows.filter(row => row.outcome === outcome).length
        return count > 0 ? [`${count} ${outcome}`] : []
      },
    )
    return [`${bar} ${label} ${done}/${total}`, ...counts, `${left} s left`].join(', ')
  }
}
