// Changes each note and undoes it, and checks that the vault is the same byte for byte.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The `data` of a successful call, or the code of its error. */
export type Call = (tool: string, given: object) => Promise<Reported>;
export interface Reported {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as its client does, without types.
  readonly data?: any;
  readonly code?: string;
  readonly text: string;
}

/** Valid reasons to refuse a write: then nothing was written, which the byte comparison shows. */
const REFUSALS: ReadonlySet<string> = new Set([
  'PROPERTIES_INVALID',
  'FILE_UNREADABLE',
  'PATH_NOT_ALLOWED',
  'LINK_INTEGRITY',
  'INVALID_INPUT',
]);
const PROPERTY = 'round-trip of vaultgraph';
const FOLDER = 'Round trip of vaultgraph';

export interface RoundTrip {
  readonly notes: number;
  /** By code, with the first note that it was returned for. */
  readonly refused: Readonly<Record<string, { readonly count: number; readonly first: string }>>;
  /** Notes whose links were updated because another note moved. */
  readonly followed: number;
}

/** A writable copy, whatever the permissions of the original. */
export function copyVault(vault: string, copy: string): void {
  cpSync(vault, copy, { recursive: true });
  for (const path of [copy, ...globSync('**/*', { cwd: copy }).map((each) => join(copy, each))]) {
    chmodSync(path, statSync(path).mode | (statSync(path).isDirectory() ? 0o700 : 0o600));
  }
}

/** The hash of every file that is not hidden. */
export function bytesOf(vault: string): Readonly<Record<string, string>> {
  const paths = globSync('**/*', { cwd: vault }).filter((path) => statSync(join(vault, path)).isFile());
  const hashes = paths.sort().map((path): [string, string] => [
    path,
    createHash('sha256')
      .update(readFileSync(join(vault, path)))
      .digest('hex'),
  ]);
  return Object.fromEntries(hashes);
}

/** For each note: sets and removes a property, appends and undoes, moves it and back; every byte is compared after each step. */
export async function roundTrip(
  call: Call,
  vault: string,
  notes: readonly string[],
  onNote: (at: number) => void = () => {},
): Promise<RoundTrip> {
  const before = bytesOf(vault);
  const refused = new Map<string, { count: number; first: string }>();
  let followed = 0;
  const tried = async (tool: string, given: object) => {
    const answer = await call(tool, given);
    if (answer.data !== undefined) return answer.data;
    assert.ok(REFUSALS.has(answer.code ?? ''), `${tool} ${JSON.stringify(given)}: ${answer.text}`);
    const { count, first } = refused.get(answer.code ?? '') ?? { count: 0, first: `${tool} ${JSON.stringify(given)}` };
    refused.set(answer.code ?? '', { count: count + 1, first });
    return undefined;
  };
  const sure = async (tool: string, given: object) => {
    const { data, text } = await call(tool, given);
    assert.ok(data, `${tool} ${JSON.stringify(given)}: ${text}`);
    return data;
  };
  for (const [at, note] of notes.entries()) {
    onNote(at);
    const set = await tried('set_properties', { note, set: { [PROPERTY]: 'on: "yes"' } });
    if (set !== undefined) await sure('set_properties', { note, remove: [PROPERTY], if_match: set.etag });
    assertSame(vault, note, before, 'a property set and removed');
    const appended = await tried('edit_note', { note, edits: [{ op: 'append', text: '- one more line [[x]]' }] });
    if (appended !== undefined) await sure('undo_change', { change_id: appended.change_id });
    assertSame(vault, note, before, 'a line appended and undone');
    const moved = await tried('move_note', { note, to: `${FOLDER}/deep/`, confirm: true });
    if (moved === undefined) continue;
    followed += moved.files_changed === undefined ? 0 : 1;
    await sure('move_note', { note: moved.path, to: note, confirm: true });
    assertSame(vault, note, before, 'moved there and back');
    // Any other note that was rewritten must also be as before.
    for (const { path } of moved.files ?? [])
      if (path !== moved.path) assertSame(vault, path, before, `linked to ${note}`);
  }
  assert.deepEqual(bytesOf(vault), before, 'the whole vault is as it was');
  return { notes: notes.length, refused: Object.fromEntries(refused), followed };
}

function assertSame(vault: string, path: string, before: Readonly<Record<string, string>>, what: string): void {
  const now = createHash('sha256')
    .update(readFileSync(join(vault, path)))
    .digest('hex');
  assert.equal(now, before[path], `${path}: ${what}`);
}
