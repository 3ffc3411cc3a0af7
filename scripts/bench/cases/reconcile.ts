/** The memory of a comparison of many reservations with the journal, and with a ledger. */
import {type Bench, BOOKCTL} from '../support/bench.js'
import {writeJournal, writeLedger} from '../support/books.js'
import {figure, type Row} from '../support/figures.js'
import {startReference} from '../support/receivers.js'

/** 150 MB as `ps` and `time -v` count them, in units of 1024 × 1024 bytes. */
const MOST_MEGABYTES = 157

const COLUMNS = 'reference=Booking,price=Total,currency=Currency,status=State'

/** Measures the peak memory of `reservations reconcile` for 100,000 reservations, all of which agree. */
export async function reconcile(bench: Bench): Promise<Row[]> {
  const count = bench.size(100_000, 5000)
  const {port, stop} = await startReference(bench, 'many-reservations.cjs', [String(count)])
  const directory = bench.room()
  const client = {baseUrl: `http://127.0.0.1:${port}/partner-api/v1`, clientId: 'cid_bench'}
  writeJournal(directory, client, count)
  const ledger = ['--ledger', writeLedger(directory, count), '--ledger-columns', COLUMNS]
  const env = {
    BOOKCTL_BASE_URL: client.baseUrl,
    BOOKCTL_CLIENT_ID: client.clientId,
    BOOKCTL_CLIENT_SECRET: 'sk_test_bench',
    BOOKCTL_CONFIG_DIR: directory,
  }
  const rows: Row[] = []
  for (const [what, argv] of [
    ['the journal', []],
    ['a ledger', ledger],
  ] as const) {
    const run = await bench.nodeWithPeak([BOOKCTL, 'reservations', 'reconcile', ...argv], {env})
    rows.push({
      measured: `\`bookctl reservations reconcile\` of ${count.toLocaleString('en')} reservations with ${what}: most memory`,
      ours: figure([run.megabytes], 'MB'),
      value: run.megabytes,
      reach: {atMost: MOST_MEGABYTES},
      remark: `${Math.round(run.milliseconds / 1000)} s`,
    })
  }
  await stop()
  return rows
}
