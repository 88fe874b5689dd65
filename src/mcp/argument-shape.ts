// Refuses arguments that no schema should ever see: too deep, too long, or holding what text must not hold. Knows no tool.
import { type InputIssue, VaultgraphError } from '../base/errors.ts';

/** The deepest input of a tool has four levels; a schema walks recursively, so depth ends here. */
const DEEPEST = 32;
/** One text of a megabyte is a book; beyond it somebody has pasted a file. */
const LONGEST_TEXT = 1_000_000;
const MOST_VALUES = 100_000;
/** Keys that reach an object's prototype when somebody copies carelessly. */
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The faults that the caller mends by another text or key, in document order, ten at most.
 * @throws LIMIT_EXCEEDED
 */
export function checkShape(given: unknown): readonly InputIssue[] {
  const issues: InputIssue[] = [];
  let values = 0;
  const walk = (value: unknown, path: string, depth: number): void => {
    values += 1;
    holdLimit('the number of values in the arguments', MOST_VALUES, values);
    holdLimit('the depth of the arguments', DEEPEST, depth);
    if (typeof value === 'string') issues.push(...textFaults(value, path));
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      const at = path === '' ? key : `${path}.${key}`;
      if (PROTOTYPE_KEYS.has(key)) issues.push({ path: at, rule: 'is no name an argument may have' });
      else issues.push(...textFaults(key, path));
      walk(child, at, depth + 1);
    }
  };
  walk(given, '', 0);
  return issues.slice(0, 10);
}

function textFaults(text: string, path: string): InputIssue[] {
  holdLimit(
    path === '' ? 'the length of an argument name' : `the length of ${path.slice(0, 100)}`,
    LONGEST_TEXT,
    text.length,
  );
  if (text.includes('\0')) return [{ path, rule: 'holds a NUL character' }];
  if (!text.isWellFormed()) return [{ path, rule: 'holds half of a surrogate pair, so it is no Unicode text' }];
  return [];
}

function holdLimit(field: string, limit: number, actual: number): void {
  if (actual > limit) throw new VaultgraphError('LIMIT_EXCEEDED', { field, limit, actual });
}
