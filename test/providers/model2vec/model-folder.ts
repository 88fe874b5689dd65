// A temporary folder with a model, and the opened provider, for the tests of model2vec.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import type { Opened } from '../../../src/contracts/provider.ts';
import { model2vecProvider } from '../../../src/providers/model2vec/model2vec-provider.ts';
import { never } from '../../contracts/embedding/law.ts';
import { type ModelToWrite, writeModel } from '../../fakes/model2vec-folder.ts';

export interface ModelFolder extends Opened<EmbeddingProvider> {
  readonly folder: string;
  /** Ends both: the provider and the folder. */
  remove(): Promise<void>;
}

/** @param model undefined writes none @param section more keys of the YAML section */
export async function openModel(model: ModelToWrite | undefined, section: object = {}): Promise<ModelFolder> {
  const root = mkdtempSync(join(tmpdir(), 'vaultgraph-model-'));
  const folder = join(root, 'small-model');
  if (model !== undefined) writeModel(folder, model);
  const opened = await openFolder(folder, section);
  return {
    ...opened,
    folder,
    remove: async () => {
      await opened.close();
      rmSync(root, { recursive: true });
    },
  };
}

export function openFolder(folder: string, section: object = {}): Promise<Opened<EmbeddingProvider>> {
  const config = model2vecProvider.config.parse({ model: folder, ...section });
  const context = { vaultRoot: folder, dataFolder: folder, stateFolder: folder, log: () => undefined };
  return model2vecProvider.open(config, context, never) as Promise<Opened<EmbeddingProvider>>;
}

/** Runs `check` on an opened model and removes it afterwards, whatever happens. */
export async function withModel(
  model: ModelToWrite | undefined,
  check: (opened: ModelFolder) => Promise<void>,
  section: object = {},
): Promise<void> {
  const opened = await openModel(model, section);
  try {
    await check(opened);
  } finally {
    await opened.remove();
  }
}
