// Opens what HTTP clients are served from: the vaults of the config for tokens without a view, and each view at its first use.
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Config } from '../../lifecycle/config/config.ts';
import { failureFields } from '../../mcp/dispatch/call-journal.ts';
import { oneVault, type Served } from '../served.ts';

export class Backends {
  readonly #own: Served;
  readonly #views: ReadonlyMap<string, Config>;
  readonly #log: Log;
  readonly #open = new Map<string, Promise<Served>>();
  #isClosed = false;

  /** @param own what the server's own config names */
  constructor(own: Served, views: ReadonlyMap<string, Config>, log: Log) {
    this.#own = own;
    this.#views = views;
    this.#log = log;
  }

  /** @throws CONFIG_INVALID if there is no such view; STORE_*, VAULT_UNAVAILABLE */
  readonly of = (view: string | undefined): Promise<Served> => {
    if (view === undefined) return Promise.resolve(this.#own);
    const open = this.#open.get(view) ?? this.#openView(view);
    this.#open.set(view, open);
    return open;
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    const open = await Promise.allSettled(this.#open.values());
    const views = open.flatMap((view) => (view.status === 'fulfilled' ? [view.value] : []));
    await Promise.all([this.#own, ...views].map((served) => served.close()));
  }

  /** A view that could not be opened is tried again by the next request. */
  async #openView(name: string): Promise<Served> {
    const [opened] = await Promise.allSettled([this.#begin(name)]);
    if (opened.status === 'fulfilled') return opened.value;
    this.#open.delete(name);
    throw opened.reason;
  }

  async #begin(name: string): Promise<Served> {
    const config = this.#views.get(name);
    if (config === undefined) {
      const faults = [
        { file: 'views', key: `views.${name}`, what: `there is no view ${name}`, allowed: [...this.#views.keys()] },
      ];
      throw new VaultgraphError('CONFIG_INVALID', { faults });
    }
    if (this.#isClosed) throw new VaultgraphError('SHUTTING_DOWN', {});
    const served = await oneVault(config, this.#log);
    // Every call on it fails by itself, with the same code.
    served.begin((thrown) => this.#log('error', 'view_not_opened', failureFields(toVaultgraphError(thrown))));
    return served;
  }
}
