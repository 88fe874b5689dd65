// Returns the example config with its commented-out keys enabled.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const EXAMPLE = readFileSync(join(import.meta.dirname, '../config.example.yaml'), 'utf8');

/** Uncomments the block below the line of that key: removes the first `# ` of each line until a line is not commented out. */
export function withBlock(text: string, key: string): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => new RegExp(`^ *# ${key}:`).test(line));
  if (from < 0) throw new Error(`the example has no block ${key}`);
  const indent = /^ */.exec(lines[from] ?? '')?.[0] ?? '';
  const rest = lines.slice(from).findIndex((line) => !line.startsWith(`${indent}# `));
  const to = rest < 0 ? lines.length : from + rest;
  const turnedOn = lines.slice(from, to).map((line) => indent + line.slice(indent.length + 2));
  return [...lines.slice(0, from), ...turnedOn, ...lines.slice(to)].join('\n');
}

/** Uncomments every commented-out key that fits on one line. */
export function withKey(text: string, key: string): string {
  const turnedOn = text.replace(new RegExp(`^( *)# (${key}: )`, 'm'), '$1$2');
  if (turnedOn === text) throw new Error(`the example has no ${key} that is commented out`);
  return turnedOn;
}
