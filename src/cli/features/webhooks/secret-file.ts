/** `webhooks create --secret-file`: the signing secret, which is shown once, also in a new file of the user's. */
import {lstatSync} from 'node:fs'
import {dirname, resolve} from 'node:path'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {sweepTemporaryFiles} from '../../../storage/temporary.js'
import {checkWritable} from '../../input/files.js'
import {checkedFlag} from '../../input/flags.js'

/** Looks before anything is sent: throws usage when the file cannot be made, or something is there already. */
export const secretFileFlag = checkedFlag((field, path) => {
  checkWritable(field, path)
  if (!lstatSync(path, {throwIfNoEntry: false})) return path
  // A run that was killed when the file was in place may have left another beside it, with the secret in it.
  sweepTemporaryFiles(dirname(resolve(path)))
  throw usage('file_exists', `${field}: ${sanitizeLine(path, 200)} exists already`, 'name a new file')
})

/**
 * Writes `secret`, and nothing else, to a new file readable by its owner alone. Returns whether it could; if not, `warn`
 * is told why: the subscription is made, and its secret is stored.
 */
export async function writeSecretFile(
  path: string,
  secret: string,
  warn: (text: string) => void,
): Promise<boolean> {
  const {writeWholeFile} = await import('../../../storage/files.js')
  try {
    writeWholeFile(resolve(path), Buffer.from(secret), {existing: 'create'})
    return true
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException
    const why = code === 'EEXIST' ? `${path} exists already` : message
    warn(`Warning: --secret-file: ${sanitizeLine(why, 200)}; the secret is in tokens.db`)
    return false
  }
}
