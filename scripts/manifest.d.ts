/** Writes oclif.manifest.json and commands.json of the commands built into `directory`. */
export function writeManifest(directory: string): void
