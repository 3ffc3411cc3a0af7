/** `bookctl webhooks verify` of one file, the least that a command does, against the least that Node does. */
import {join} from 'node:path'
import process from 'node:process'
import type {Bench} from '../support/bench.js'
import {SECRET, SIGNED_AT, writeRequest} from '../support/captures.js'
import {type Row, race} from '../support/figures.js'

export async function verifyOne(bench: Bench): Promise<Row[]> {
  const file = join(bench.room(), 'request.http')
  writeRequest(file)
  const env = {BOOKCTL_WEBHOOK_SECRET: SECRET}
  const row = await race(bench, {
    measured: '`bookctl webhooks verify` of one file',
    against: '`node -e 0`',
    // Newer Nodes keep the compiled code.
    reach: {atMost: Number.parseInt(process.versions.node, 10) < 22 ? 3.9 : 3.0},
    times: 31,
    ours: () => bench.bookctl(['webhooks', 'verify', file, '--at', String(SIGNED_AT)], {env}),
    other: () => bench.node(['-e', '0']),
  })
  return [row]
}
