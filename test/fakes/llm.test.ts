// Checks that the scripted model fulfils the language-model contract.
import { llmLaws } from '../contracts/llm.ts';
import { fakeLLM } from './llm.ts';

for (const settings of [{}, { digest: null, endpoint: 'http://127.0.0.1:11434' }]) {
  llmLaws(`the scripted model ${JSON.stringify(settings)}`, async () => {
    const { provider, says, become } = fakeLLM(() => '', settings);
    return {
      provider,
      writes: says,
      cutsShort: () => become({ cutsShort: true }),
      hang: () => become({ hang: true }),
      fail: () => become({ down: true }),
      heal: () => become({ hang: false, down: false, cutsShort: false }),
      close: () => Promise.resolve(),
    };
  });
}
