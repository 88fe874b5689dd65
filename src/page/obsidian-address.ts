// The address that opens a note in Obsidian; unlike that of this page it holds no secret.

/** @param vault the name of the vault's folder. @param subpath `#Heading`, or empty */
export function obsidianAddress(vault: string, path: string, subpath = ''): string {
  return `obsidian://open?vault=${encodeURIComponent(vault)}&file=${encodeURIComponent(path + subpath)}`;
}
