/** Writes oclif.manifest.json and commands.json for the commands built into `directory`. */
export function writeManifest(directory: string): void
