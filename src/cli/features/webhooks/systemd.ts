/**
 * Speaks with systemd: `listen` reports its state with sd_notify(3), and takes over the socket that systemd opened
 * (sd_listen_fds(3)).
 */
import {spawn} from 'node:child_process'
import process from 'node:process'
import {setTimeout as sleep} from 'node:timers/promises'
import {within} from './listen-wait.js'

type Environment = Readonly<Record<string, string | undefined>>

/** File descriptor of the first socket that systemd passes on. */
const FIRST_SOCKET = 3

/**
 * Returns the descriptor of the first socket that systemd opened for the process `pid`, and the number of sockets;
 * undefined if there is none.
 */
export function inheritedSocket(env: Environment, pid: number): {fd: number; count: number} | undefined {
  const count = Number(env.LISTEN_FDS)
  if (Number(env.LISTEN_PID) !== pid || !(count >= 1)) return undefined
  return {fd: FIRST_SOCKET, count}
}

interface ManagerOptions {
  readonly env: Environment
  /** Is called with the reason if a message fails, and not again before a message has succeeded. */
  readonly onProblem: (text: string) => void
}

/** How long a message may take before its process is ended. */
const MESSAGE_MILLISECONDS = 5000
/**
 * How often a message is tried, and the pause after a failure. With the time limit, all attempts take less than half a
 * minute.
 */
const ATTEMPTS = 3
const RETRY_MILLISECONDS = 500
/** How long the end waits for the last messages. */
const END_MILLISECONDS = 1000

/**
 * Reports the state of `listen` to the service manager. Runs systemd-notify for each message, because Node has no Unix
 * datagram sockets. Does nothing without NOTIFY_SOCKET. The unit needs NotifyAccess=all, because the messages come from
 * other processes.
 */
export class ServiceManager {
  /** Resolves when all earlier messages were sent, so that they stay in order. */
  private sent: Promise<void> = Promise.resolve()
  private isUnavailable: boolean
  private isFailing = false
  private watchdog: NodeJS.Timeout | undefined

  constructor(private readonly options: ManagerOptions) {
    this.isUnavailable = !options.env.NOTIFY_SOCKET
  }

  /**
   * Reports that events are received. From now on, also reports at half the watchdog interval that the process works.
   */
  ready(status: string): void {
    this.send('READY=1', `STATUS=${status}`)
    const {env} = this.options
    const milliseconds = Number(env.WATCHDOG_USEC) / 1000 / 2
    const isForUs = env.WATCHDOG_PID === undefined || Number(env.WATCHDOG_PID) === process.pid
    if (this.isUnavailable || this.watchdog || !isForUs || !(milliseconds > 0)) return
    this.watchdog = setInterval(() => this.send('WATCHDOG=1'), milliseconds).unref()
  }

  /** Reports that files are being read again. `ready` must be called afterwards. */
  reloading(): void {
    // hrtime reads CLOCK_MONOTONIC, the clock that systemd expects.
    this.send('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`)
  }

  stopping(): void {
    this.send('STOPPING=1')
  }

  /** Stops sending. Resolves when all messages were sent, or after a second. */
  async end(): Promise<void> {
    clearInterval(this.watchdog)
    this.watchdog = undefined
    await within(END_MILLISECONDS, this.sent, () => {})
    this.isUnavailable = true
  }

  private send(...message: string[]): void {
    if (this.isUnavailable) return
    this.sent = this.sent.then(() => this.notify(message))
  }

  /**
   * Sends one message. Only if systemd-notify is missing, no further messages are tried; any other failure may be that
   * of a busy machine.
   */
  private async notify(message: readonly string[]): Promise<void> {
    for (let attempt = 1; !this.isUnavailable; attempt += 1) {
      const problem = await runNotify(message, this.options.env)
      if (problem === undefined) {
        this.isFailing = false
        return
      }
      if (problem === MISSING) {
        this.report(problem)
        this.isUnavailable = true
        clearInterval(this.watchdog)
        return
      }
      if (attempt === ATTEMPTS) return this.report(problem)
      await sleep(RETRY_MILLISECONDS, undefined, {ref: false})
    }
  }

  private report(problem: string): void {
    if (!this.isFailing && !this.isUnavailable)
      this.options.onProblem(`the service manager is not told how listen is: ${problem}`)
    this.isFailing = true
  }
}

const MISSING = 'the program systemd-notify is not on the path; it comes with systemd'

/** Runs systemd-notify. Returns why the message could not be sent; undefined if it was sent. */
function runNotify(
  message: readonly string[],
  {PATH, NOTIFY_SOCKET}: Environment,
): Promise<string | undefined> {
  // Passes on nothing else, because the environment may contain secrets.
  const env = {...(PATH === undefined ? {} : {PATH}), NOTIFY_SOCKET}
  const child = spawn('systemd-notify', [...message], {env, stdio: 'ignore', timeout: MESSAGE_MILLISECONDS})
  return new Promise(resolve => {
    child.on('error', ({message: why, code}: NodeJS.ErrnoException) => {
      resolve(code === 'ENOENT' ? MISSING : `systemd-notify: ${why}`)
    })
    child.on('close', (code, signal) =>
      resolve(code === 0 ? undefined : `systemd-notify ended with ${signal ?? code}`),
    )
  })
}
