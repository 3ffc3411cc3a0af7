import {expect, test} from 'vitest'
import {type CapturedRequest, nothingAfterwards} from '../../src/webhooks/captures.js'
import {type CheckResult, type CheckTerms, check} from '../../src/webhooks/check.js'
import {DEFAULT_HEADER_NAMES} from '../../src/webhooks/headers.js'
import {BREAKS, type BrokenCapture, seeded, T, TAMPERED} from '../support/broken-captures.js'

/** Raised by hand to look further; each round is another event, name and secret. */
const ROUNDS = Number(process.env.DIAGNOSIS_ROUNDS ?? 2)

async function explain(
  capture: Omit<BrokenCapture, 'name'>,
  more: Partial<CheckTerms> = {},
): Promise<CheckResult> {
  const request: CapturedRequest = {
    format: 'raw',
    headers: {'x-service-signature': capture.header},
    receivedAt: undefined,
    body: pieces(capture.body),
    afterwards: nothingAfterwards(),
  }
  const terms: CheckTerms = {
    secrets: [{name: 'file', secret: capture.secret}],
    otherSecrets: () => capture.others ?? [],
    names: DEFAULT_HEADER_NAMES,
    now: () => T,
    toleranceSeconds: 300,
    ...more,
  }
  return (await check(request, terms)).result
}

async function* pieces(bytes: Uint8Array) {
  yield bytes
}

const codesOf = ({findings}: CheckResult) => findings.map(({code}) => code).sort()

test.each(Object.entries(BREAKS))('finds: %s', async (name, broken) => {
  for (let round = 1; round <= ROUNDS; round++) {
    const capture = broken(seeded(round * 7919))
    const result = await explain(capture)
    expect(result.valid).toBe(false)
    expect(codesOf(result), `${name}, round ${round}: ${capture.body.subarray(0, 2000)}`).toEqual(
      [...capture.codes].sort(),
    )
  }
})

test.each(Object.entries(TAMPERED))('accuses of nothing: %s', async (_, tampered) => {
  for (let round = 1; round <= ROUNDS; round++) {
    expect(codesOf(await explain(tampered(seeded(round * 104_729))))).toEqual(['unexplained'])
  }
})
