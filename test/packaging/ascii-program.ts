// Escapes the characters beyond ASCII that the bundler leaves in regular expressions: one of them makes V8 keep two bytes for each character of a file.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BEYOND_ASCII = /[^\0-\x7f]/g;

/** Each code unit becomes an escape of its own: regular expressions read two of them as one character. */
export function escaped(script: string): string {
  return script.replace(BEYOND_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** @param folder with the scripts, which are changed */
export function escapeScripts(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.js'))) {
    const file = join(folder, name);
    writeFileSync(file, escaped(readFileSync(file, 'utf8')));
  }
}
