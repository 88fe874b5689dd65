// Finds the MCP clients installed on this machine by their settings folders.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Machine } from '../machine.ts';
import { CLIENTS, type Client } from './clients.ts';

export function clientsHere(machine: Machine): readonly Client[] {
  return CLIENTS.filter((client) => isHere(client, machine));
}

/** For a file directly in the home folder, only the file itself shows that the client is installed. */
export function isHere(client: Client, machine: Machine): boolean {
  const file = client.settingsFile(machine);
  const folder = dirname(file);
  return existsSync(file) || (folder !== machine.home && existsSync(folder));
}
