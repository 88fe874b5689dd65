// What `vaultgraph doctor` looks at of the provider of answers: whether its model, once it is loaded, keeps to a shape.
import { type LLMProvider, SAMPLE_REQUEST } from '../../contracts/llm.ts';
import { probeCall } from '../../contracts/provider-call.ts';
import type { Loaded } from '../../lifecycle/loader.ts';
import { type Finding, NEVER, ok } from './finding.ts';
import { providerFinding, type Wording } from './provider.ts';

const WORDING: Wording = {
  met: {
    reachable: 'reachable',
    model: 'model present and able to chat',
    answers: 'answers in the shape asked for',
  },
  unmet: {
    reachable: 'not reachable',
    model: 'no such model, or one that cannot chat',
    answers: 'does not answer in the shape asked for',
  },
};

export const noLLM: Finding = ok('not configured; providers.llm adds summarize_notes, ask_vault and their like');

export async function llmFinding({ capabilities, providers: [row] }: Loaded): Promise<Finding> {
  const { llm } = capabilities as { llm: LLMProvider };
  if (row === undefined) return noLLM;
  return providerFinding(row, WORDING, async () => {
    await llm.warmUp(NEVER);
    await llm.generate(SAMPLE_REQUEST, probeCall(), NEVER);
  });
}
