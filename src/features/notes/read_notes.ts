// Tool: reads the current text of notes or parts of notes.
import * as z from 'zod';
import { runBatch } from '../../base/batch.ts';
import { contentHash } from '../../base/content-hash.ts';
import type { Link, ParsedNote } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { type LineSpan, lineCountOf, textOfLines } from '../../markdown/links/section.ts';
import { cutToLines, parseContent, readContent } from './note-content.ts';
import { locateNote, REFERENCE_FAILURES } from './note-reference.ts';
import { linkViews } from './note-view.ts';
import { locatePart } from './requested-note.ts';

const input = z.strictObject({
  notes: z.array(z.string().min(1)).min(1),
  include: z
    .array(z.enum(['content', 'outline', 'links', 'properties']))
    .min(1)
    .default(['content']),
  max_chars: z.int().min(1).max(1_000_000).default(20_000).describe('per note'),
});
type ReadArgs = z.infer<typeof input>;
type Sources = Granted<'store' | 'vault'>;

export const readNotes = defineTool({
  name: 'read_notes',
  summary:
    'Read notes, or parts: `Note`, `Note#Heading`, `Note#^block`, `Note:10-20`. A note is given by path, name, alias or title.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'none',
  fails: [...REFERENCE_FAILURES, 'NOTE_PART_NOT_FOUND', 'NOTE_PART_AMBIGUOUS', 'FILE_UNREADABLE', 'LIMIT_EXCEEDED'],
  input,
  run: (args, granted, call) => runBatch(args.notes, call.signal, (note) => readNote(note, args, granted, call)),
});

async function readNote(reference: string, args: ReadArgs, granted: Sources, call: CallContext) {
  const { path, match, part } = await locateNote(reference, 'notes', granted, call);
  const { bytes, text, encoding } = await readContent(path, granted.vault, call.signal);
  const etag = contentHash(bytes);
  call.writes.rememberText(etag, text);
  const lineCount = lineCountOf(text);
  const needsParse = part.kind === 'subpath' || args.include.some((what) => what !== 'content');
  const parsed = parseContent(path, needsParse ? text : '');
  const span = locatePart({ path, outline: parsed, lineCount }, part, 'notes');
  const wanted = part.kind === 'whole' ? text : textOfLines(text, span);
  return {
    path,
    etag,
    match,
    ...(encoding === 'invalid' ? { encoding } : {}),
    ...(args.include.includes('properties') ? propertiesOf(parsed) : {}),
    ...(args.include.includes('outline') ? { outline: outlineIn(parsed, span) } : {}),
    ...(args.include.includes('links') ? await linkViews(path, linksIn(parsed, span), granted.store, call) : {}),
    total_lines: lineCount,
    ...(args.include.includes('content')
      ? contentField(wanted, span, path, args, call)
      : { lines: [span.line, span.endLine] }),
  };
}

/** The text as far as it fits, with its lines and where to continue. */
function contentField(wanted: string, span: LineSpan, path: string, { max_chars }: ReadArgs, call: CallContext) {
  const { text, wholeLines } = cutToLines(wanted, max_chars);
  if (text.length === wanted.length) return { lines: [span.line, span.endLine], content: wanted };
  const last = span.line + Math.max(wholeLines, 1) - 1;
  const next = wholeLines === 0 ? {} : { next: `${path}:${last + 1}-${span.endLine}` };
  call.warn({ code: 'TRUNCATED', message: `${path} is cut to ${text.length} of ${wanted.length} characters` });
  return {
    lines: [span.line, last],
    truncated: { shown: text.length, total: wanted.length, ...next },
    content: text,
  };
}

function propertiesOf({ properties, propertiesFault, notices, aliases, tags }: ParsedNote) {
  return {
    properties,
    ...(propertiesFault === undefined ? {} : { properties_fault: propertiesFault }),
    ...(notices.length === 0 ? {} : { notices }),
    aliases,
    tags: [...new Set(tags.map(({ tag }) => tag))],
  };
}

function outlineIn({ headings }: ParsedNote, span: LineSpan) {
  return headings.filter(({ line }) => isIn(line, span)).map(({ level, text, line }) => ({ line, level, text }));
}

function linksIn({ links }: ParsedNote, span: LineSpan): readonly Link[] {
  return links.filter(({ line }) => isIn(line, span));
}

function isIn(line: number, span: LineSpan): boolean {
  return line >= span.line && line <= span.endLine;
}
