// Which MCP clients this user has on this machine, told by the folders they make for their settings. Reads no settings.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Machine } from '../machine.ts';
import { CLIENTS, type Client } from './clients.ts';

export function clientsHere(machine: Machine): readonly Client[] {
  return CLIENTS.filter((client) => isHere(client, machine));
}

/** The home folder is everybody's: in it only the file itself tells. */
export function isHere(client: Client, machine: Machine): boolean {
  const file = client.settingsFile(machine);
  const folder = dirname(file);
  return existsSync(file) || (folder !== machine.home && existsSync(folder));
}
