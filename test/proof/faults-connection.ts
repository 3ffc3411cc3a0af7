/** Faults before any request: names, connections, TLS, and the proxy on the way. */
import {DEFAULT_CIPHERS} from 'node:tls'
import {tlsIdentity} from '../support/tls.js'
import {away, type Fault, RESET, TIMED_OUT, tls, UNSURE} from './fault.js'
import {bytes} from './odd-bytes.js'

const SURE = {kind: 'unreached', isSure: true} as const
/** In answer to CONNECT, without a word more. */
const refusing = (status: number, headers = '') =>
  bytes(`HTTP/1.1 ${status} No\r\n${headers}content-length: 0\r\n\r\n`)

export const CONNECTION: readonly Fault[] = [
  {name: 'refused', connection: 'refused', conclusion: SURE, names: /ECONNREFUSED/},
  {name: 'reset-at-accept', connection: 'reset', conclusion: UNSURE, names: RESET},
  {name: 'fin-at-accept', connection: 'end', conclusion: UNSURE, names: RESET},
  {name: 'never-answers', connection: 'hang', conclusion: UNSURE, names: TIMED_OUT},
  {name: 'never-reads', connection: 'deaf', conclusion: UNSURE, names: TIMED_OUT},
]

export const TLS: readonly Fault[] = [
  ...(['reset', 'hang', 'end'] as const).map(connection => ({
    name: `tls-${connection}-in-handshake`,
    ...{connection, identity: 'good' as const, isTrusted: true, conclusion: SURE},
    names: connection === 'hang' ? TIMED_OUT : /before the request|ECONNRESET/,
  })),
  {
    ...{name: 'tls-plain-http', connection: 'plain', identity: 'good', isTrusted: true},
    ...{conclusion: SURE, names: /TLS with .* failed/},
  },
  tls('expired', true, /certificate .*expired/),
  tls('not-yet-valid', true, /certificate .*not valid yet/),
  tls('self-signed', false, /certificate .*self-signed/),
  tls('other-host', true, /certificate .*another host name/),
  tls('good', false, /certificate .*not signed by a known authority/),
  {
    ...{name: 'tls-too-old', identity: 'good', isTrusted: true, conclusion: SURE},
    tls: {
      ...{minVersion: 'TLSv1', maxVersion: 'TLSv1.1'},
      // OpenSSL itself refuses them otherwise.
      ciphers: `${DEFAULT_CIPHERS}:@SECLEVEL=0`,
    },
    names: /TLS with .* failed/,
  },
  {
    // From TLS 1.3 on a client hears of it only after it has sent its request.
    ...{name: 'tls-wants-a-client-certificate', identity: 'good', isTrusted: true, conclusion: UNSURE},
    tls: {requestCert: true, rejectUnauthorized: true, ca: [tlsIdentity('good').cert]},
    names: RESET,
  },
]

export const AWAY: readonly Fault[] = [
  away('dns', /no such host name, or no name service/),
  away('proxy-refused', /proxy http:.* cannot be reached \(ECONNREFUSED\)/, 'refused'),
  away('proxy-reset', /proxy http:.* cannot be reached/, ['reset']),
  away('proxy-stall', /timed out (connecting to|shaking hands with) .* through proxy/, ['hang']),
  away('proxy-403', /proxy http:.* refused the connection with status 403/, [refusing(403)]),
  away('proxy-407', /status 407 \(it wants a user name and password/, [
    refusing(407, 'proxy-authenticate: Basic realm="x"\r\n'),
  ]),
  away('proxy-502', /proxy http:.* refused the connection with status 502/, [refusing(502)]),
  away('proxy-redirect', /proxy http:.* refused the connection with status 302/, [
    refusing(302, 'location: http://127.0.0.1/\r\n'),
  ]),
  away('proxy-garbage', /proxy http:.* cannot be reached/, [bytes('SSH-2.0-OpenSSH_9.6\r\n'), 'hang']),
  away('proxy-tunnels-to-nothing', /TLS with .*through proxy|before the request|cannot be reached/, [
    bytes('HTTP/1.1 200 Connection established\r\n\r\n'),
    ...[bytes('this is not TLS\r\n'), 'end' as const],
  ]),
]
