// `vaultgraph changes`: lists the changes made by tools, newest first.
import type { Change, ChangedFile } from '../contracts/writer.ts';
import type { CommonOptions } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { withCore } from './with-core.ts';

interface ChangesOptions extends CommonOptions {
  /** A positive integer, as text. */
  readonly limit: string;
}

/** Digits of a hash to show: enough to tell two apart. */
const SHOWN_DIGITS = 8;

export async function runChanges(options: ChangesOptions): Promise<number> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1)
    return refuse(`--limit takes a whole number above 0, not ${options.limit}`);
  return withCore(options, async ({ writer }) => {
    if (writer === undefined)
      return refuse('This vault is read-only. Set vault.access: read-write to let assistants change it.');
    const changes = await writer.changes(limit, new AbortController().signal);
    process.stdout.write(
      options.json ? `${JSON.stringify({ changes: changes.map(changeJson) })}\n` : changes.map(changeText).join(''),
    );
    return EXIT.done;
  });
}

function refuse(why: string): number {
  process.stderr.write(`${why}\n`);
  return EXIT.usage;
}

function changeJson({ undoneBy, ...change }: Change): object {
  return { ...change, ...(undoneBy === undefined ? {} : { undone_by: undoneBy }) };
}

function changeText({ id, time, tool, client, state, undoes, undoneBy, files }: Change): string {
  const facts = [
    ...(client === '' ? [] : [`by ${client}`]),
    ...(state === 'done' ? [] : ['undone']),
    ...(undoes === undefined ? [] : [`undoes ${undoes}`]),
    ...(undoneBy === undefined ? [] : [`undone by ${undoneBy}`]),
  ];
  return `${[time, id, tool, ...facts].join('  ')}\n${files.map(fileText).join('')}`;
}

function fileText({ kind, path, to, before, after }: ChangedFile): string {
  const where = to === undefined ? path : `${path} → ${to}`;
  return `  ${kind} ${where}  ${shownHash(before)} → ${shownHash(after)}\n`;
}

const shownHash = (hash: string | null): string => hash?.slice(0, SHOWN_DIGITS) ?? 'none';
