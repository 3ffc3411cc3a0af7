/** All that can be read in the files of a directory, also where it is packed, or in another encoding. */
import {readdirSync, readFileSync} from 'node:fs'
import {join, relative} from 'node:path'
import {gunzipSync} from 'node:zlib'
import {unzipSync} from 'fflate'

export interface FileText {
  /** Relative to the directory; of what is in an archive, its name there after that of the archive. */
  readonly name: string
  readonly text: string
}

/** Every file under `directory`; the files of an archive one by one. */
export function filesIn(directory: string): FileText[] {
  return (
    readdirSync(directory, {recursive: true, withFileTypes: true})
      .map(entry => ({isFile: entry.isFile(), path: join(entry.parentPath, entry.name)}))
      // Newer Nodes keep our own code compiled, in which the sandbox's well-known secret stands as it does in the bundle.
      .filter(({isFile, path}) => isFile && !path.startsWith(join(directory, '.cache/bookctl/node')))
      .flatMap(({path}) => textsOf(relative(directory, path), readFileSync(path)))
  )
}

/** What is in `bytes`, by what they are and not by what they are called. */
function textsOf(name: string, bytes: Buffer): FileText[] {
  const begins = (...magic: number[]) => magic.every((byte, index) => bytes[index] === byte)
  if (begins(0x50, 0x4b, 3, 4)) {
    const packed = Object.entries(unzipSync(bytes))
    return [
      {name, text: bytes.toString('latin1')},
      ...packed.flatMap(([inner, part]) => textsOf(`${name}:${inner}`, Buffer.from(part))),
    ]
  }
  if (begins(0x1f, 0x8b)) return textsOf(`${name}:gunzipped`, gunzipSync(bytes))
  return [{name, text: [bytes.toString('utf8'), ...asUtf16(bytes)].join('\n')}]
}

/** With either byte first; only where there are NULs, since all that is looked for is ASCII. */
function asUtf16(bytes: Buffer): string[] {
  if (!bytes.includes(0)) return []
  return [bytes, bytes.subarray(1)].map(part => part.toString('utf16le'))
}
