// The signs of notes in several vaults, for the subscriptions of a client.
import type { NoteSigns } from '../../contracts/store.ts';
import type { VaultMember } from './member.ts';

const vaultOf = (path: string): string => path.slice(0, path.indexOf('/'));

/**
 * Paths begin with the name of their vault. A vault with a followed note stays open; one that does not answer has the signs that it
 * had before, so that it keeps no other from being looked at.
 */
export function signsOfVaults(members: readonly VaultMember[]): NoteSigns {
  const marks = new Map<string, number>();
  const known = new Map<string, string>();
  let mark = 0;

  const inVault = async <T>(name: string, signal: AbortSignal, look: (signs: NoteSigns) => Promise<T>) => {
    const member = members.find((one) => one.name === name);
    const [outcome] = await Promise.allSettled([member?.use(signal, ({ noteSigns }) => look(noteSigns))]);
    return outcome.status === 'fulfilled' ? outcome.value : undefined;
  };

  return Object.freeze({
    async mark(signal: AbortSignal, paths: readonly string[] = []) {
      for (const name of new Set(paths.map(vaultOf))) {
        const now = await inVault(name, signal, (signs) => signs.mark(signal));
        if (now === undefined || marks.get(name) === now) continue;
        marks.set(name, now);
        mark += 1;
      }
      return mark;
    },
    async signs(paths: readonly string[], signal: AbortSignal) {
      for (const [name, whole] of Map.groupBy(paths, vaultOf)) {
        const own = whole.map((path) => path.slice(name.length + 1));
        const signs = await inVault(name, signal, (one) => one.signs(own, signal));
        if (signs === undefined) continue;
        for (const [at, path] of own.entries()) setOrDelete(known, String(whole[at]), signs.get(path));
      }
      return new Map(
        paths.flatMap((path): [string, string][] => (known.has(path) ? [[path, String(known.get(path))]] : [])),
      );
    },
  });
}

function setOrDelete<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
