/** `--dry-run --print-curl`: the request shown as a document, as a line for the shell. */
import {curlLine} from '../api/curl.js'
import {createRedactor} from '../api/redact.js'

interface DryRun {
  readonly method?: unknown
  readonly url?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** The line for the document of a --dry-run; undefined when it shows no request. */
export function curlOfDryRun(document: object): string | undefined {
  const {method, url, headers = {}, body} = document as DryRun
  if (typeof method !== 'string' || typeof url !== 'string') return undefined
  const request = {method, url, headers, ...(body === undefined ? {} : {body: JSON.stringify(body)})}
  return curlLine(request, createRedactor())
}
