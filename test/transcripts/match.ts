// Compares what a transcript expects with what was shown; `*` in an expected text is any text.

/** Whether the whole text is as the pattern says. */
export function fits(pattern: string, text: string): boolean {
  if (pattern === text) return true;
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return parts.length > 1 && new RegExp(`^${parts.join('[^]*')}$`).test(text);
}

/** Texts in the expected value are patterns; "*" alone is any value, and "..." at the end of a list is any rest. */
export function equals(expected: unknown, actual: unknown): boolean {
  if (expected === '*') return actual !== undefined;
  if (typeof expected === 'string') return typeof actual === 'string' && fits(expected, actual);
  if (Array.isArray(expected)) return Array.isArray(actual) && equalLists(expected, actual);
  if (typeof expected !== 'object' || expected === null) return expected === actual;
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return false;
  const [keys, others] = [Object.keys(expected), Object.keys(actual)];
  return keys.length === others.length && keys.every((key) => equals(at(expected, key), at(actual, key)));
}

function equalLists(expected: readonly unknown[], actual: readonly unknown[]): boolean {
  const isOpen = expected.at(-1) === '...';
  const listed = isOpen ? expected.slice(0, -1) : expected;
  const hasLength = isOpen ? actual.length >= listed.length : actual.length === listed.length;
  return hasLength && listed.every((one, index) => equals(one, actual[index]));
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

const STEP = /^\.?(?:(\w+)|\[(\d*)\]|\[(\w+)=([^\]]*)\])/;

/** `a.b[0]`, `rows[].path` of every row, `warnings[code=X]` those of a code, `rows.length`. */
export function valueAt(root: unknown, path: string): unknown {
  const step = STEP.exec(path);
  if (step === null) return root;
  const [whole, key, index, name, value] = step;
  const rest = path.slice(whole.length);
  if (key !== undefined) return valueAt(Array.isArray(root) && key === 'length' ? root.length : at(root, key), rest);
  if (index !== undefined && index !== '') return valueAt(at(root, index), rest);
  if (!Array.isArray(root)) return undefined;
  if (index === '') return root.map((one) => valueAt(one, rest));
  return valueAt(
    root.filter((one) => at(one, name ?? '') === value),
    rest,
  );
}
