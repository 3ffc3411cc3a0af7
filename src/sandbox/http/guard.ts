/**
 * Refuses requests that did not mean this sandbox: another host name (DNS rebinding) or a page of another origin.
 * Without it a web page a user happens to visit could move money or time here.
 */
import {Refusal} from '../base/answers.js'

const LOOPBACK_NAMES = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * The origin this request was sent to. `served` is the origin the sandbox listens at; undefined when it is called
 * in process, where any loopback origin will do. Throws Refusal `forbidden`.
 */
export function checkHost(request: Request, served: string | undefined): string {
  const url = new URL(request.url)
  const host = request.headers.get('host') ?? url.host
  const allowed = served === undefined ? inProcessHosts(url) : servedHosts(new URL(served))
  if (!allowed.includes(url.host) || !allowed.includes(host.toLowerCase())) {
    throw new Refusal('forbidden', 'this host name is not the local sandbox’s own')
  }
  return `${url.protocol}//${url.host}`
}

/** Throws Refusal `forbidden` when a browser sent this for a page of another origin. */
export function checkOrigin(request: Request, ownOrigin: string): void {
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  const foreign = origin !== null && origin !== ownOrigin
  if (foreign || (site !== null && site !== 'same-origin' && site !== 'none')) {
    throw new Refusal('forbidden', 'pages of another origin may not use the local sandbox')
  }
}

/**
 * Throws Refusal `forbidden` unless a browser says that this form was sent from a page of the sandbox itself. Unlike
 * `checkOrigin` it also refuses a request that says nothing: scripts have the controls.
 */
export function checkForm(request: Request, ownOrigin: string): void {
  checkOrigin(request, ownOrigin)
  const said =
    request.headers.get('origin') === ownOrigin || request.headers.get('sec-fetch-site') === 'same-origin'
  if (!said) throw new Refusal('forbidden', 'forms are sent from the local sandbox’s own page')
}

function inProcessHosts(url: URL): string[] {
  return LOOPBACK_NAMES.test(url.hostname) ? [url.host] : []
}

function servedHosts(served: URL): string[] {
  return [served.host, `localhost:${served.port}`]
}
