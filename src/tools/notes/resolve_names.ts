// Tool: resolves names to notes.
import * as z from 'zod';
import { runBatch } from '../../base/batch.ts';
import type { Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { RESOLVE_FAILURES, resolveNote } from './note-reference.ts';

export const resolveNames = defineTool({
  name: 'resolve_names',
  title: 'Look up note names',
  summary:
    'Finds which notes are meant by names, without reading them. Returns the path of each; for others similar names or choices.',
  words: 'does a note exist, path',
  effect: 'reads',
  references: ['names'],
  items: 'names',
  needs: ['store', 'vault'],
  index: 'part',
  fails: RESOLVE_FAILURES,
  input: z.strictObject({ names: z.array(z.string().min(1)).min(1).describe('names, aliases, titles or paths') }),
  run: ({ names }, granted, call) => runBatch(names, call.signal, (name) => resolveName(name, granted, call)),
});

async function resolveName(name: string, granted: Granted<'store' | 'vault'>, call: CallContext) {
  const { path, match, lines } = await resolveNote(name, 'names', granted, call);
  return lines === undefined ? { path, match } : { path, match, lines: [lines.line, lines.endLine] };
}
