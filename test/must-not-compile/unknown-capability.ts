// A tool that needs what no provider can give.
import { z } from 'zod';
import { defineTool } from '../../src/contracts/tool.ts';

defineTool({
  name: 'wishful',
  title: 'A test',
  summary: 'Needs a capability that does not exist.',
  effect: 'reads',
  // TS2820 Type '"storage"' is not assignable to type 'keyof CapabilityMap'. Did you mean '"store"'?
  needs: ['storage'],
  index: 'none',
  fails: [],
  input: z.strictObject({}),
  run: async () => ({}),
});
