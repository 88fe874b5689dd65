// A tool that touches a capability it did not name in its needs.
import { z } from 'zod';
import { defineTool } from '../../src/contracts/tool.ts';

defineTool({
  name: 'sneaky',
  title: 'A test',
  summary: 'Touches the llm without naming it.',
  effect: 'reads',
  needs: ['store'],
  index: 'none',
  fails: [],
  input: z.strictObject({}),
  run: async (_, granted, call) => {
    await granted.store.counts(call.signal);
    // TS2339 Property 'llm' does not exist on type 'Readonly<Pick<CapabilityMap, "store">>'.
    return { text: await granted.llm.generate('', call.signal) };
  },
});

defineTool({
  name: 'stepping',
  title: 'A test',
  summary: 'Steps down to the fallback of a capability that it did not name.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'none',
  fails: [],
  input: z.strictObject({}),
  // TS2339 Property 'embedding' does not exist on type 'Readonly<Pick<CapabilityMap, "store" | "vault">>'.
  run: async (_, granted) => ({ model: granted.embedding.fallback?.provider.model }),
});
