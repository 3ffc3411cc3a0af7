// Appends every module that the process loads to the file named in LOADED_FILE: ES modules through a hook, CommonJS modules at
// exit.
import {appendFileSync} from 'node:fs'
import {createRequire, register} from 'node:module'
import process from 'node:process'

const file = process.env.LOADED_FILE
const hook = `import {appendFileSync} from 'node:fs'
export async function load(url, context, next) {
  if (url.startsWith('file:')) appendFileSync(${JSON.stringify(file)}, new URL(url).pathname + '\\n')
  return next(url, context)
}`
register(`data:text/javascript,${encodeURIComponent(hook)}`)
process.on('exit', () => {
  for (const path of Object.keys(createRequire(import.meta.url).cache)) appendFileSync(file, `${path}\n`)
})
