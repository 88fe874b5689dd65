// Makes the running process another user, who owns one folder and all in it.
import { chownSync, globSync } from 'node:fs';

/** Only root may. */
export function becomeUser(id: number, folder: string): void {
  for (const path of globSync(`${folder}/**`)) chownSync(path, id, id);
  process.setgroups?.([]);
  process.setgid?.(id);
  process.setuid?.(id);
}
