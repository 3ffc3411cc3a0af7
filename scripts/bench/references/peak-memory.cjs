// Loaded into a measured process. At exit it writes the peak memory in bytes to PEAK_MEMORY_FILE. On Linux it reads VmHWM,
// because maxRSS in the resource usage starts with the value of the parent process.
'use strict'
const {existsSync, readFileSync, writeFileSync} = require('node:fs')

const file = process.env.PEAK_MEMORY_FILE
process.on('exit', () => {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
  const kibibytes = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS)
  writeFileSync(file, String(kibibytes * 1024))
})
