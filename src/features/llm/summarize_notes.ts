// Summarizes notes, as many as the time limit of the call allows.
import * as z from 'zod';
import { type RunEnds, runBatch } from '../../base/batch.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { CAPABILITY_FAILS, type Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { REQUESTED_NOTE_FAILURES, readRequestedNote } from '../notes/requested-note.ts';
import { reservedMs } from '../search/provider-call.ts';
import { type LlmSession, openLlmSession } from './llm-session.ts';
import { summarizeNote } from './summarize-note.ts';

const input = z.strictObject({
  notes: z.array(z.string().min(1)).min(1).describe('paths or names, also #Heading'),
  style: z.string().trim().min(1).max(200).optional().describe('one sentence, for a child'),
  refresh: z.boolean().default(false).describe('true: ask the model again'),
});
type Args = z.infer<typeof input>;
type Sources = Granted<'store' | 'vault' | 'llm'>;

export const summarizeNotes = defineTool({
  name: 'summarize_notes',
  title: 'Summarize notes',
  summary: "The user's own language model summarizes notes one by one. Returns summary and key points of each.",
  others: { get_context: 'a topic' },
  words: 'tl;dr, key points',
  effect: 'reads',
  references: ['notes'],
  items: 'notes',
  needs: ['store', 'vault', 'llm'],
  index: 'none',
  fails: [...REQUESTED_NOTE_FAILURES],
  input,
  run: async (args, granted, call) => {
    const model = openLlmSession(granted.llm, call);
    const { notes } = args;
    const batch = await runBatch(
      notes,
      call.signal,
      (note, at) => summaryOf(note, at, args, model, granted, call),
      runEnds('summarizing', call),
    );
    model.reportProvider();
    return batch;
  },
});

async function summaryOf(
  reference: string,
  at: number,
  { notes, style, refresh }: Args,
  model: LlmSession,
  granted: Sources,
  call: CallContext,
) {
  call.progress(at, notes.length, `summarizing note ${at + 1} of ${notes.length}`);
  const request = { tool: 'summarize_notes', accepted: Object.keys(input.shape), argument: 'notes', reference };
  const note = await readRequestedNote(request, granted, call);
  const onSection = (section: number, sections: number) =>
    call.progress(at, notes.length, `summarizing note ${at + 1} of ${notes.length}, section ${section} of ${sections}`);
  const summarized = await summarizeNote(note, { style, refresh, onSection }, model, granted, call);
  const { summary, key_points, sections, covered, total, cached } = summarized;
  return {
    ...{ path: note.path, lines: note.lines, summary, key_points, covered, total },
    ...(sections === 1 ? {} : { sections }),
    ...{ cached, model: model.model },
  };
}

/** The share of the call's time, besides the reserve, that must be left to begin an item. */
const MIN_SHARE = 1 / 30;

/** @param phase what the call was doing, for the DEADLINE_EXCEEDED error */
function runEnds(phase: string, call: CallContext): RunEnds {
  const budget = call.msLeft();
  const least = budget * MIN_SHARE + reservedMs(budget);
  const late = () =>
    new VaultgraphError('DEADLINE_EXCEEDED', { budget_ms: Math.round(budget), phase, committed: 'none' });
  return {
    tooLate: () => (call.msLeft() < least ? late() : undefined),
    endsAll: isOfProvider,
  };
}

/** Whether the provider itself failed, so that other inputs would fail, too. */
function isOfProvider({ code, details }: VaultgraphError): boolean {
  const { level } = details as { readonly level?: 'item' | 'call' };
  return CAPABILITY_FAILS.llm.includes(code) && level !== 'item';
}
