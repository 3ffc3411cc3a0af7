/** A limit of bytes as people read it: `64 KiB`, `1 MiB`. */
export function sizeText(bytes: number): string {
  const kibibytes = bytes / 1024
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`
}
