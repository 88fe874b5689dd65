// Refuses arguments that no schema should ever see: too deep, too long, or holding what text must not hold.
import { type InputIssue, VaultgraphError } from '../../base/errors.ts';

/** The deepest input of a tool has four levels; a schema walks recursively, so depth ends here. */
const DEEPEST = 32;
const MAX_VALUES = 100_000;
/** Keys that reach an object's prototype when somebody copies carelessly. */
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export interface ArgumentLimits {
  /** Items of a list that stands as an argument of its own. */
  readonly batch: number;
  /** Characters of one text. */
  readonly text: number;
}

/**
 * The faults that the caller mends by another text or key, in document order, ten at most.
 * @throws LIMIT_EXCEEDED
 */
export function checkShape(given: unknown, limits: ArgumentLimits): readonly InputIssue[] {
  const issues: InputIssue[] = [];
  let values = 0;
  const walk = (value: unknown, path: string, depth: number): void => {
    values += 1;
    holdLimit('the number of values in the arguments', MAX_VALUES, values);
    holdLimit('the depth of the arguments', DEEPEST, depth);
    if (depth === 1 && Array.isArray(value))
      holdLimit(`the number of ${path.slice(0, 100)}`, limits.batch, value.length);
    if (typeof value === 'string') issues.push(...textFaults(value, path, limits));
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      const at = path === '' ? key : `${path}.${key}`;
      if (PROTOTYPE_KEYS.has(key)) issues.push({ path: at, rule: 'is no name an argument may have' });
      else issues.push(...textFaults(key, path, limits));
      walk(child, at, depth + 1);
    }
  };
  walk(given, '', 0);
  return issues.slice(0, 10);
}

function textFaults(text: string, path: string, limits: ArgumentLimits): InputIssue[] {
  holdLimit(
    path === '' ? 'the length of an argument name' : `the length of ${path.slice(0, 100)}`,
    limits.text,
    text.length,
  );
  if (text.includes('\0')) return [{ path, rule: 'holds a NUL character' }];
  if (!text.isWellFormed()) return [{ path, rule: 'holds half of a surrogate pair, so it is no Unicode text' }];
  return [];
}

function holdLimit(field: string, limit: number, actual: number): void {
  if (actual > limit) throw new VaultgraphError('LIMIT_EXCEEDED', { field, limit, actual });
}
