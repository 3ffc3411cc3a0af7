// Ends the process with 99 if it opens a socket or loads the database library.
import {createRequire} from 'node:module'
import net from 'node:net'
import process from 'node:process'

net.Socket.prototype.connect = () => refuse('a socket')
process.on('exit', () => {
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  if (loaded.some(path => /node_modules\/(libsql|@libsql)\//.test(path))) refuse('a database')
})

function refuse(what) {
  process.stderr.write(`opened ${what}\n`)
  process.exit(99)
}
