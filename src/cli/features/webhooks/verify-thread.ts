/**
 * A thread of `webhooks verify`: checks slices of a capture and renders their results. verify-threads.ts starts it, and answers
 * its questions, because only the main thread has the stores.
 */
import {type MessagePort, parentPort, workerData} from 'node:worker_threads'
import {Failure} from '../../../contract/failure.js'
import {readRecords} from '../../../webhooks/captures/records.js'
import {partsOf} from '../../../webhooks/captures/slices.js'
import {check, usualLineCheck} from '../../../webhooks/diagnose/check.js'
import type {CheckTerms} from '../../../webhooks/diagnose/finding.js'
import {listText} from '../../terminal/list-aside.js'
import {renderResult} from '../../terminal/output.js'
import {countResults, explanationsOf, type Verified, verifyResult} from './verify-results.js'
import {timeOfJudging} from './verify-terms.js'
import type {
  FromThread,
  Question,
  SliceMessage,
  SliceResults,
  StoredFacts,
  ThreadData,
  ToThread,
} from './verify-threads.js'

function serve({terms: plain, output}: ThreadData, port: MessagePort): void {
  const post = (message: FromThread, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)
  let takeAnswer = (_: unknown) => {}
  // A slice is checked line by line, so one question is asked at a time.
  const ask = <T>(question: Question) =>
    new Promise<T>(resolve => {
      takeAnswer = resolve as (answer: unknown) => void
      post({question})
    })
  let stored: StoredFacts | undefined
  const terms: CheckTerms = {
    ...plain,
    now: timeOfJudging(plain.at),
    inVain: {count: 0},
    async beforeSearch() {
      stored ??= await ask<StoredFacts>({name: 'stored'})
    },
    otherSecrets: () => stored?.otherSecrets ?? [],
    removedSecrets: () => stored?.removedSecrets ?? [],
    findOriginal: id => ask<Uint8Array | undefined>({name: 'original', id}),
  }

  const render = async (verified: readonly Verified[]) => {
    if (output.isDocument) return listText(verified)
    return renderResult(verifyResult(verified, true), output.flags, {isTTY: false, continues: true})
  }

  async function judge({bytes, linesBefore, name, inVain}: SliceMessage): Promise<SliceResults> {
    const leftOut = {count: 0}
    const verified: Verified[] = []
    terms.inVain.count = inVain
    const shortcut = usualLineCheck(terms, name)
    for await (const group of readRecords(partsOf(bytes), leftOut, shortcut, linesBefore)) {
      for (const captured of group) {
        if ('input' in captured) {
          verified.push(captured)
          continue
        }
        const checked = check(captured, terms)
        const result = checked instanceof Promise ? await checked : checked
        verified.push({input: `${name}${captured.place ?? ''}`, ...result})
      }
    }
    return {
      text: new TextEncoder().encode(await render(verified)),
      explanations: output.explains ? explanationsOf(verified) : [],
      count: countResults(verified),
      leftOut: leftOut.count,
      inVain: terms.inVain.count - inVain,
    }
  }

  port.on('message', async (message: ToThread) => {
    if ('answer' in message) return takeAnswer(message.answer)
    const {bytes} = message
    try {
      const results = await judge(message)
      post({results, bytes}, [results.text.buffer, bytes.buffer])
    } catch (error) {
      // Any other error ends the thread, and the main thread reports it.
      if (!(error instanceof Failure)) throw error
      const {kind, message: text, details} = error
      post({failure: {kind, message: text, details}})
    }
  })
}

serve(workerData as ThreadData, parentPort as MessagePort)
