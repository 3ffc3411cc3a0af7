// Loaded into a process that is measured: at its end, writes the most memory it held, in bytes, to PEAK_MEMORY_FILE.
// Linux is asked for VmHWM: the maxRSS of the resource usage begins with that of the process which started this one.
'use strict'
const {existsSync, readFileSync, writeFileSync} = require('node:fs')

const file = process.env.PEAK_MEMORY_FILE
process.on('exit', () => {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
  const kibibytes = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS)
  writeFileSync(file, String(kibibytes * 1024))
})
