// The least a command does: read its arguments, print a line.
'use strict'
const {parseArgs} = require('node:util')

const {positionals, values} = parseArgs({
  allowPositionals: true,
  options: {at: {type: 'string'}, json: {type: 'boolean'}},
})
process.stdout.write(`${positionals.join(' ')} ${values.at ?? ''}\n`)
