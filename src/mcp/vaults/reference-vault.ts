// Reads the name of a vault at the beginning of a note reference, such as `private:Note` or `note://private/Note.md`.
import type { VaultMember } from './member.ts';

export interface NamedReference {
  /** The vault that the reference names; undefined if it names none. */
  readonly vault?: string;
  /** As the vault itself reads it. */
  readonly reference: string;
}

const PREFIXED = /^(\s*(?:\[\[)?\s*)([a-z][a-z0-9-]*):(?!\/\/)(.*)$/s;
const URI = /^(\s*)note:\/\/([a-z][a-z0-9-]*)\/(.*)$/is;
/** Lines of the note that is called like the vault. */
const ONLY_LINES = /^\s*\d{1,9}(?:-\d{1,9})?\s*(?:\]\])?\s*$/;

/**
 * `name:Note` names a vault only if one is called so and no vault has a note at that exact path.
 * @param members the vaults that the session sees
 */
export async function vaultOfReference(written: string, members: readonly VaultMember[]): Promise<NamedReference> {
  const isVault = (name = ''): boolean => members.some((member) => member.name === name);
  const uri = URI.exec(written);
  if (uri !== null && isVault(uri[2]?.toLowerCase())) {
    return { vault: String(uri[2]).toLowerCase(), reference: `${uri[1]}note:///${uri[3]}` };
  }
  const [, before = '', name, rest = ''] = PREFIXED.exec(written) ?? [];
  if (!isVault(name) || ONLY_LINES.test(rest)) return { reference: written };
  const owner = await ownerOf(written, members);
  return owner === undefined
    ? { vault: String(name), reference: `${before}${rest}` }
    : { vault: owner, reference: written };
}

/** The vault with a file at the path that the whole reference is. */
async function ownerOf(written: string, members: readonly VaultMember[]): Promise<string | undefined> {
  const path = written.trim().replace(/^\[\[|\]\]$/g, '');
  const whole = path
    .replace(/#.*$/s, '')
    .replace(/:\d{1,9}(?:-\d{1,9})?$/, '')
    .trim();
  for (const { name, hasFile } of members) {
    if ((await hasFile(path)) || (whole !== path && (await hasFile(whole)))) return name;
  }
  return undefined;
}
