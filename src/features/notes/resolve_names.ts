// Tool: resolves names to notes.
import * as z from 'zod';
import { runBatch } from '../../base/batch.ts';
import type { Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { lineCountOf } from '../../markdown/links/section.ts';
import { parseContent, readContent } from './note-content.ts';
import { REFERENCE_FAILURES, resolveNote } from './note-reference.ts';
import { locatePart } from './requested-note.ts';

export const resolveNames = defineTool({
  name: 'resolve_names',
  summary: 'Which notes are meant by names, aliases, titles or paths.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'part',
  fails: [...REFERENCE_FAILURES, 'NOTE_PART_NOT_FOUND', 'NOTE_PART_AMBIGUOUS', 'FILE_UNREADABLE', 'LIMIT_EXCEEDED'],
  input: z.strictObject({ names: z.array(z.string().min(1)).min(1) }),
  run: ({ names }, granted, call) => runBatch(names, call.signal, (name) => resolveName(name, granted, call)),
});

async function resolveName(name: string, granted: Granted<'store' | 'vault'>, call: CallContext) {
  const { path, match, part } = await resolveNote(name, 'names', granted, call);
  if (part.kind === 'whole') return { path, match };
  const { text } = await readContent(path, granted.vault, call.signal);
  const note = { path, outline: parseContent(path, text), lineCount: lineCountOf(text) };
  const { line, endLine } = locatePart(note, part, 'names');
  return { path, match, lines: [line, endLine] };
}
