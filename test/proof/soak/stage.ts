/** What a soak runs on: a small disk that can be filled, certificates that can be replaced, and the receiver. */
import {execFileSync, spawn, spawnSync} from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {createInterface} from 'node:readline'
import {connect} from 'node:tls'
import {ENTRY, Home} from '../../support/bookctl.js'
import {isRoot} from '../../support/other-user.js'
import {waitUntil} from '../../support/wait.js'
import {SECRET} from '../../support/webhook-load.js'

/** Returns why this machine cannot provide a disk; undefined if it can. */
export function lacksDisk(): string | undefined {
  if (process.platform !== 'linux' || !isRoot) return 'needs root on Linux, to mount a disk'
  const home = new Home()
  try {
    makeDisk(home.directory, 16).close()
    return undefined
  } catch {
    return 'needs loop devices, to mount a disk'
  } finally {
    home.remove()
  }
}

/** Mounts a disk of this size under `directory`, a file system on a file, so that a flush is one. */
export function makeDisk(directory: string, megabytes: number) {
  const image = join(directory, 'image')
  const path = join(directory, 'disk')
  const ballast = join(path, 'ballast')
  writeFileSync(image, '')
  truncateSync(image, megabytes * 1024 ** 2)
  mkdirSync(path)
  execFileSync('mkfs.ext4', ['-q', '-m', '0', image])
  execFileSync('mount', ['-o', 'loop', image, path])
  return {
    path,
    /** Leaves no free block. */
    fill() {
      const {bavail, bsize} = statfsSync(path)
      // Blocks for the extents of the file are left, which the copy takes.
      spawnSync('fallocate', ['-l', String((bavail - 64) * bsize), ballast])
      spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4096', 'oflag=append', 'conv=notrunc'])
    },
    free: () => rmSync(ballast),
    freeBytes() {
      const {bavail, bsize} = statfsSync(path)
      return bavail * bsize
    },
    close() {
      spawnSync('umount', ['-l', path])
      rmSync(image)
    },
  }
}

/** Certificate files, and the pair that `listen` reads. */
export class Certificates {
  readonly cert: string
  readonly key: string

  constructor(private readonly directory: string) {
    this.cert = join(directory, 'cert.pem')
    this.key = join(directory, 'key.pem')
  }

  /** Makes a certificate that is valid for `days`. */
  make(name: string, days: number): void {
    const files = ['-keyout', this.file(name, 'key'), '-out', this.file(name, 'pem')]
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const words = ['req', '-x509', ...key, '-days', String(days), '-subj', `/CN=${name}`, ...files]
    execFileSync('openssl', words, {stdio: 'pipe'})
  }

  /** Replaces the certificate and then its key, by those of two names. */
  use(cert: string, key = cert): void {
    copyFileSync(this.file(cert, 'pem'), this.cert)
    copyFileSync(this.file(key, 'key'), this.key)
  }

  /** Replaces both files by others. */
  useFiles({cert, key}: {cert: Buffer; key: Buffer}): void {
    writeFileSync(this.cert, cert)
    writeFileSync(this.key, key)
  }

  private file(name: string, ending: string): string {
    return join(this.directory, `${name}.${ending}`)
  }
}

/** Returns the common name of the certificate that a new connection is shown. */
export function servedName(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({port, host: '127.0.0.1', rejectUnauthorized: false}, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

interface Line {
  readonly level: string
  readonly event: string
  readonly message: string
  readonly url?: string
  readonly admin_url?: string
  readonly target?: string
}

export type ReceiverProcess = Awaited<ReturnType<typeof startReceiver>>

/** Starts `webhooks listen` as under systemd: stdout is closed to everybody, and the log is JSON. Its lines are not kept. */
export async function startReceiver(home: Home, directory: string, argv: readonly string[]) {
  const words = [ENTRY, 'webhooks', 'listen', ...argv, '--log', 'json', '--admin', '0', '--port', '0']
  const env = {...home.surroundings(), BOOKCTL_WEBHOOK_SECRET: SECRET, BOOKCTL_CONFIG_DIR: directory}
  const child = spawn(process.execPath, words, {
    env,
    cwd: home.directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const counts: Record<string, number> = {}
  const odd: string[] = []
  /** Lines that are about the receiver itself, not about one event. */
  const said: string[] = []
  let start: Line | undefined
  createInterface({input: child.stderr}).on('line', text => {
    const line = parsed(text)
    if (line === undefined) {
      odd.push(`no JSON in the log: ${text}`)
      return
    }
    counts[line.event] = (counts[line.event] ?? 0) + 1
    if (line.event === 'start') start = line
    const isOfEvent = ['received', 'forwarded', 'given_up', 'refused'].includes(line.event)
    if (!isOfEvent && line.target === undefined) said.push(text)
  })
  const ended = new Promise<number | NodeJS.Signals | null>(resolve => {
    child.on('exit', (code, signal) => resolve(signal ?? code))
  })
  await waitUntil(() => start !== undefined || child.exitCode !== null, 'the receiver')
  const {url, admin_url: adminUrl} = start ?? {}
  if (url === undefined || adminUrl === undefined) throw new Error(`it did not start: ${said} ${odd}`)
  return {
    pid: child.pid as number,
    port: Number(new URL(url).port),
    adminUrl,
    counts,
    odd,
    said,
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    signal: (name: NodeJS.Signals) => void child.kill(name),
    stop: () => void child.kill('SIGKILL'),
  }
}

function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the resident memory of a process, in megabytes. */
export function residentMegabytes(pid: number): number {
  const path = `/proc/${pid}/status`
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024
}
