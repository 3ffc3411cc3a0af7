/** Scripts of the tests as one JavaScript file each, which starts in a fraction of the time that tsx takes. */
import {renameSync} from 'node:fs'
import {basename, join} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import {rolldown} from 'rolldown'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/bookctl-tests', import.meta.url))

/** Bundles `script`; returns the path of the file to run. */
export async function bundledScript(script: URL): Promise<string> {
  const path = join(CACHE, `${basename(script.pathname, '.ts')}.mjs`)
  const own = `${path}.${process.pid}`
  const bundle = await rolldown({
    input: fileURLToPath(script),
    platform: 'node',
    external: /^(?:libsql|@napi-rs\/keyring|pdfkit|fontkit|dejavu-fonts-ttf)(?:\/|$)/,
    checks: {emptyImportMeta: false, ineffectiveDynamicImport: false},
  })
  await bundle.write({file: own, format: 'esm', codeSplitting: false})
  await bundle.close()
  // Another process may be starting the file of before.
  renameSync(own, path)
  return path
}
