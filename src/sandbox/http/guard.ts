/** Refuses other host names (DNS rebinding) and pages of other origins: any web page could pay or move the clock here. */
import {Refusal} from '../base/answers.js'

const LOOPBACK_NAMES = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** The origin asked. `served`: where the sandbox listens; in process, any loopback. Throws Refusal `forbidden`. */
export function checkHost(request: Request, served: string | undefined): string {
  const url = new URL(request.url)
  const host = request.headers.get('host')?.toLowerCase() ?? url.host
  const own = served === undefined ? undefined : new URL(served)
  const isOwn = own
    ? url.host === own.host || url.host === `localhost:${own.port}`
    : LOOPBACK_NAMES.test(url.hostname)
  if (!isOwn || host !== url.host) {
    throw new Refusal('forbidden', 'the Host header does not name this local sandbox')
  }
  return `http://${url.host}`
}

/** Throws Refusal `forbidden` when a browser sent this for a page of another origin. */
export function checkOrigin(request: Request, ownOrigin: string): void {
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  const foreign = origin !== null && origin !== ownOrigin
  if (foreign || (site !== null && site !== 'same-origin' && site !== 'none')) {
    throw new Refusal('forbidden', 'pages of another origin must not use the local sandbox')
  }
}

/** Beyond `checkOrigin`: refuses a form without a browser's headers, because scripts have the controls. */
export function checkForm(request: Request, ownOrigin: string): void {
  const isOwn =
    request.headers.get('origin') === ownOrigin || request.headers.get('sec-fetch-site') === 'same-origin'
  if (!isOwn) throw new Refusal('forbidden', 'forms are accepted from the local sandbox’s own pages only')
}
