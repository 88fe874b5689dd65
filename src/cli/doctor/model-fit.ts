// Doctor check whether the embedding model suits the notes.
import { commandLine } from '../../base/command-line.ts';
import { errorOf, outcomeOf } from '../../base/outcome.ts';
import { NEVER } from '../../base/until-aborted.ts';
import type { Embedding } from '../../contracts/embedding.ts';
import { isPoorFit, keepFit, type ModelFit } from '../../contracts/model-fit.ts';
import { probeCall } from '../../contracts/provider-call.ts';
import type { Store } from '../../contracts/store.ts';
import type { Vault } from '../../contracts/vault.ts';
import { measureFit } from '../../core/models.ts';
import { fitText } from '../fit-text.ts';
import { fittingModel } from '../models/catalogue.ts';
import { type Finding, ok, warning } from './finding.ts';
import { hintWithinDoctor } from './hint-within-doctor.ts';

/** Measures with the active vectors of the model in the config, and keeps the result for `status`. */
export async function modelFitFinding(provider: Embedding, store: Store, vault: Vault): Promise<Finding> {
  const generations = await store.generations(NEVER);
  const generation = generations.find(({ role, state }) => role === 'main' && state === 'active');
  if (generation === undefined || generation.fingerprint.model !== provider.model)
    return ok('measured once the notes are embedded with this model');
  const outcome = await outcomeOf(measureFit({ provider, generation, store, vault, begin: probeCall }, NEVER));
  if ('error' in outcome)
    return warning(`not measured: [${outcome.error.code}] ${outcome.error.message}`, hintWithinDoctor(outcome.error));
  const fit = outcome.value;
  if (fit === undefined) return ok('not measured: the vault has too few notes with sentences');
  const unkept = await errorOf(keepFit(generation, fit, store, NEVER));
  const detail = `${fitText(fit)}${unkept === undefined ? '' : `; not kept for status: [${unkept.code}]`}`;
  return isPoorFit(fit) ? warning(detail, betterModel(fit, provider.model)) : ok(detail);
}

function betterModel({ english }: ModelFit, model: string): string {
  const { name, languages } = fittingModel(english);
  if (model.startsWith(name)) return 'use a larger model, such as embeddinggemma with Ollama';
  return `${model} does not suit these notes; ${name} (${languages}) may: \`${commandLine(`models add ${name} --replace`)}\``;
}
