/** `--dry-run --print-curl`: the request shown as a document, as a line for the shell. */

import {createRedactor} from '../../api/redact/redact.js'
import {curlLine} from '../../api/trace/curl.js'

interface DryRun {
  readonly method?: unknown
  readonly url?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** A line for each request in the document of a --dry-run. */
export function curlOfDryRun(document: object): string[] {
  const {requests = [document]} = document as {requests?: readonly DryRun[]}
  return requests.flatMap(({method, url, headers = {}, body}: DryRun) => {
    if (typeof method !== 'string' || typeof url !== 'string') return []
    const request = {method, url, headers, ...(body === undefined ? {} : {body: JSON.stringify(body)})}
    return [curlLine(request, createRedactor())]
  })
}
