// What the environment must not do to bookctl, whether built or from its sources. Done before anything else is loaded.
'use strict'
const {devNull, homedir} = require('node:os')
const process = require('node:process')

// Warnings of Node are for developers. With BOOKCTL_DEBUG oclif would print each with its stack, unless two listeners
// are there already.
process.removeAllListeners('warning')
for (const ignore of [() => {}, () => {}]) process.on('warning', ignore)
// Debug lines of other people's code hold arguments, headers and signed links.
delete process.env.DEBUG
if (process.env.NODE_DEBUG) {
  // Node reads NODE_DEBUG before this line runs, so its lines (`NAME pid: …`) are dropped where they are written.
  const line = new RegExp(`^\\S+ (\\x1b\\[\\d+m)?${process.pid}(\\x1b\\[\\d+m)?: `)
  const write = process.stderr.write.bind(process.stderr)
  process.stderr.write = (chunk, ...rest) => (line.test(String(chunk)) ? true : write(chunk, ...rest))
  delete process.env.NODE_DEBUG
}
// Without a home oclif would keep our files with the temporary ones, where anyone could have put a config.json for us.
// Nothing can be made below the null device.
if (!home()) process.env.HOME = devNull
// For a user whom the system does not know, oclif fails when it asks for the shell; on Windows it starts a program to know.
process.env.SHELL ??= process.platform === 'win32' ? (process.env.COMSPEC ?? 'cmd.exe') : ''

/** The user's home directory; empty where HOME is, or the system does not know the user. */
function home() {
  try {
    return homedir()
  } catch {
    return ''
  }
}
