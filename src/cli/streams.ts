/**
 * stdout and stderr at their ends: a reader that closes early (`| head -1`) ends the command at once with exit 0
 * and no word; output that cannot be written for another reason ends it with exit 1.
 */
import process from 'node:process'

/** Must be called before anything else listens for errors on the streams. */
export function guardStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0)
      if (stream === process.stdout) process.stderr.write(`Error: cannot write the output (${error.code})\n`)
      process.exit(1)
    })
  }
}

/** Ends the process with `code` once everything written has left it. */
export async function leave(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>(resolve => stream.write('', () => resolve()))
  }
  process.exit(code)
}
