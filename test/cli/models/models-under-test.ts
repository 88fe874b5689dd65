// A temporary vault, config and data folder with a hub on loopback, and models added to them in this process.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { Questions } from '../../../src/cli/init/questions.ts';
import { addModel, type ModelsOptions } from '../../../src/cli/models/add-model.ts';
import type { Added } from '../../../src/cli/models/models-text.ts';
import { type ModelHub, openModelHub } from '../../fakes/model-hub.ts';

export const NAME = 'potion-base-8M';

export interface ModelBench {
  readonly root: string;
  readonly hub: ModelHub;
  readonly options: ModelsOptions;
  /** The folder of `NAME`. */
  readonly folder: string;
  readonly config: () => string;
  readonly setConfig: (text: string) => void;
  /** With `--yes`, unless a person is given. */
  add(more?: ModelsOptions, person?: Questions, name?: string): Promise<Added | undefined>;
  /** The error that `add` throws. */
  refusal(more?: ModelsOptions, name?: string): Promise<VaultgraphError>;
}

export async function modelBench(context: TestContext): Promise<ModelBench> {
  const root = mkdtempSync(join(tmpdir(), 'vaultgraph-models-'));
  const hub = await openModelHub();
  context.after(async () => {
    await hub.close();
    rmSync(root, { recursive: true, force: true });
  });
  const [vault, dataDir, config] = [join(root, 'notes'), join(root, 'data'), join(root, 'config.yaml')];
  mkdirSync(vault);
  writeFileSync(join(vault, 'Harbour.md'), 'The harbour lies quiet before morning tide.\n');
  const options = { vault, dataDir, config, hub: hub.origin, quiet: true };
  const setConfig = (text: string): void => writeFileSync(config, text);
  setConfig(`vault:\n  path: ${JSON.stringify(vault)}\n`);
  const add: ModelBench['add'] = (more = {}, person = undefined, name = NAME) =>
    addModel(name, { ...options, ...(person === undefined && { yes: true }), ...more }, person);
  return {
    root,
    hub,
    options,
    folder: join(dataDir, 'models', NAME),
    config: () => readFileSync(config, 'utf8'),
    setConfig,
    add,
    refusal: async (more, name) => {
      const [ended] = await Promise.allSettled([add(more, undefined, name)]);
      if (ended.status === 'rejected' && ended.reason instanceof VaultgraphError) return ended.reason;
      throw new Error('it was not refused', { cause: ended });
    },
  };
}

/** Answers one question after the other. */
export function person(...answers: readonly boolean[]): Questions & { readonly asked: string[] } {
  const asked: string[] = [];
  const agree = async (question: string): Promise<boolean> => answers[asked.push(question) - 1] ?? false;
  return { asked, agree, choose: async () => 0, text: async () => '', close: () => undefined };
}
