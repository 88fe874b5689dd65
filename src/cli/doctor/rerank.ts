// Doctor check for the rerank provider.
import { NEVER } from '../../base/until-aborted.ts';
import type { RerankProvider } from '../../contracts/rerank.ts';
import type { Loaded } from '../../lifecycle/loader.ts';
import { type Finding, ok } from './finding.ts';
import { providerFinding, type Wording } from './provider.ts';

const WORDING: Wording = {
  met: { reachable: 'reachable', model: 'model accepted', answers: 'reranks' },
  unmet: { reachable: 'not reachable', model: 'no such model, or one that cannot rerank', answers: 'does not rerank' },
};

export const noRerank: Finding = ok('not configured; providers.rerank lets a model reorder the first hits of a search');

/** The probe itself reranks a sample, so nothing more is asked of the model. */
export async function rerankFinding(rerank: RerankProvider, { providers: [row] }: Loaded): Promise<Finding> {
  if (row === undefined) return noRerank;
  return providerFinding(row, WORDING, () => rerank.warmUp(NEVER));
}
