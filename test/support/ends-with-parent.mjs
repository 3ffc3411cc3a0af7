// For a server that a test starts: ends it when the pipe to its stdin does, and with it the test.
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).on('error', () => {})
process.stdin.resume().unref()
