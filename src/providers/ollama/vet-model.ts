// Makes sure, before any text leaves, that the model is there, can do its work, and runs on this machine. Sends no text.
import * as z from 'zod';
import type { Attempt } from '../model-server/attempt.ts';
import { blockedEgress, missingModel, unsuitableModel } from '../model-server/found-failures.ts';
import { askOllama } from './ask-ollama.ts';
import { isSameModel } from './model-name.ts';

/** So long a vetted model may be trusted: within an index job it spares a request for every request. */
const FRESH_MS = 2_000;

const remote = { remote_host: z.string().optional(), remote_model: z.string().optional() };
const TAGS = z.object({
  models: z.array(z.object({ name: z.string(), digest: z.string().min(1), ...remote })).nullable(),
});
const SHOW = z.object({
  capabilities: z.array(z.string()).optional(),
  model_info: z.record(z.string(), z.unknown()).nullish(),
  ...remote,
});

export interface VettedModel {
  readonly digest: string;
  /** Of its vectors when nothing shorter is asked for; absent where the server does not tell. */
  readonly dims?: number;
  /** Tokens that it can read at most; absent where the server does not tell. */
  readonly contextTokens?: number;
}

/** What a model must be able to do, in Ollama's words and in ours. */
const LACKING = { embedding: 'it cannot embed', completion: 'it cannot chat' } as const;

interface Demands {
  readonly model: string;
  readonly allow_remote: boolean;
}

export interface Vetting {
  /** Asks the server. @throws PROVIDER_*, EGRESS_BLOCKED */
  vet(attempt: Attempt): Promise<VettedModel>;
  /** Asks unless it was asked a few seconds ago. @throws PROVIDER_*, EGRESS_BLOCKED */
  vetOnceInAWhile(attempt: Attempt): Promise<VettedModel>;
  /** Another server may listen there by now. */
  forget(): void;
}

export function createVetting(demands: Demands, need: keyof typeof LACKING): Vetting {
  let latest: { readonly model: VettedModel; readonly atMs: number } | undefined;

  async function vet(attempt: Attempt): Promise<VettedModel> {
    const known = latest?.model;
    latest = undefined;
    const listed = await findModel(attempt);
    refuseRemote(listed, attempt);
    const model = known?.digest === listed.digest ? known : await inspect(listed.digest, attempt);
    latest = { model, atMs: performance.now() };
    return model;
  }

  /** @throws EGRESS_BLOCKED */
  function refuseRemote({ remote_host, remote_model }: Remote, attempt: Attempt): void {
    const isRemote = Boolean(remote_host) || Boolean(remote_model);
    if (isRemote && !demands.allow_remote) throw blockedEgress(remote_host || 'another machine', attempt);
  }

  /** What a digest stands for never changes, so it is asked once. */
  async function inspect(digest: string, attempt: Attempt): Promise<VettedModel> {
    const shown = await askOllama(attempt, SHOW, (client) => client.show({ model: demands.model }));
    refuseRemote(shown, attempt);
    // Servers that tell no capabilities are older than models that lack this one.
    if (shown.capabilities?.includes(need) === false) throw unsuitableModel(LACKING[need], attempt, shown.capabilities);
    const info = shown.model_info ?? {};
    const [dims, contextTokens] = [lengthOf('embedding', info), lengthOf('context', info)];
    return {
      digest,
      ...(dims === undefined ? {} : { dims }),
      ...(contextTokens === undefined ? {} : { contextTokens }),
    };
  }

  return Object.freeze({
    vet,
    vetOnceInAWhile: async (attempt: Attempt) =>
      latest !== undefined && performance.now() - latest.atMs < FRESH_MS ? latest.model : vet(attempt),
    forget: () => {
      latest = undefined;
    },
  });
}

type Remote = Partial<Pick<z.infer<typeof SHOW>, 'remote_host' | 'remote_model'>>;

/** @throws PROVIDER_MODEL_MISSING */
async function findModel(attempt: Attempt) {
  const { models } = await askOllama(attempt, TAGS, (client) => client.list());
  const listed = models?.find(({ name }) => isSameModel(name, attempt.model));
  if (listed !== undefined) return listed;
  const installed = (models ?? []).map(({ name }) => name);
  throw missingModel(attempt, installed);
}

/** Keyed by the model's architecture; parts of a model, such as one for images, have keys that end alike. */
function lengthOf(what: 'embedding' | 'context', info: Readonly<Record<string, unknown>>): number | undefined {
  const length = info[`${info['general.architecture']}.${what}_length`];
  return typeof length === 'number' && Number.isSafeInteger(length) && length > 0 ? length : undefined;
}
