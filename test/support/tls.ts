/** The certificates of test/vectors/tls, made with openssl. */
import {readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'

const directory = new URL('../vectors/tls/', import.meta.url)

/** Returns the path of a certificate. `ca` signed `good`, `expired` and `other-host`; `self-signed` has no authority. */
export function certificateFile(name: string): string {
  return fileURLToPath(new URL(`${name}.pem`, directory))
}

/** Returns certificate and key for a TLS server. */
export function tlsIdentity(name: string): {cert: Buffer; key: Buffer} {
  return {cert: readFileSync(certificateFile(name)), key: readFileSync(new URL(`${name}.key`, directory))}
}
