// Keeps the bearer tokens of HTTP clients as hashes, each in a file of its own, and finds the one that a client sends.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import * as z from 'zod';
import { flushFolder, replaceFile } from '../base/atomic-write.ts';
import { commandLine, shellWord } from '../base/command-line.ts';
import { errnoOf, isErrno } from '../base/errno.ts';
import { VaultgraphError } from '../base/errors.ts';
import { shownPath } from '../base/local-path.ts';
import { makeFolderDurably } from '../base/make-folder.ts';
import { readOwnJson } from '../base/system/own-file.ts';

const ENTRY = z.strictObject({
  name: z.string(),
  /** The view of the config that the token sees; what the server's own config says if it is absent. */
  view: z.string().optional(),
  /** The hash of the token, in hexadecimal digits. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created: z.string(),
});

export type TokenEntry = z.infer<typeof ENTRY>;

const SECRET_BYTES = 32;
const PREFIX = 'vg_';
const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;
const DIGITS = 16;
const TOKEN_FILE = /^token-(.*)\.json$/;
/** A sweep asks for each of many sessions. */
const CHECK_EVERY_MS = 50;

/** Processes that add or revoke tokens at the same moment change different files, so that no change is lost. */
export class HttpTokens {
  readonly folder: string;
  #entries: readonly TokenEntry[] = [];
  #state = '';
  #checkAgainAt = 0;

  /** @param folder created with the first token */
  constructor(folder: string) {
    this.folder = folder;
  }

  /** Reads the files again if one has changed; looks at them every 50 ms at most. @throws CONFIG_INVALID if one cannot be read, or is not a token */
  list(): readonly TokenEntry[] {
    if (performance.now() >= this.#checkAgainAt) this.#refresh();
    return this.#entries;
  }

  /** Whether a token passes the test; false while one cannot be read. */
  has(test: (entry: TokenEntry) => boolean): boolean {
    try {
      return this.list().some(test);
    } catch {
      return false;
    }
  }

  /** Compares with every token as it is now, in constant time. @throws as `list` */
  find(secret: string): TokenEntry | undefined {
    const digest = digestOf(secret);
    let match: TokenEntry | undefined;
    this.#refresh();
    for (const entry of this.#entries) if (timingSafeEqual(Buffer.from(entry.sha256, 'hex'), digest)) match = entry;
    return match;
  }

  /** @returns the token, which is not kept. @throws CONFIG_INVALID if the name is taken; FILE_WRITE_FAILED */
  async add(name: string, view: string | undefined): Promise<string> {
    const file = this.#fileOf(name);
    const secret = `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
    const sha256 = digestOf(secret).toString('hex');
    const entry: TokenEntry = { name, ...(view !== undefined && { view }), sha256, created: new Date().toISOString() };
    try {
      await makeFolderDurably(resolve(this.folder), PRIVATE_FOLDER);
      await replaceFile(file, `${JSON.stringify(entry, null, 2)}\n`, { mode: PRIVATE, flush: true, isNew: true });
    } catch (thrown) {
      if (isErrno(thrown, 'EEXIST')) throw taken(file, name);
      throw notWritten(file, thrown);
    }
    this.#checkAgainAt = 0;
    return secret;
  }

  /** Also one that is damaged, or beside one that is. @returns whether there was such a token. @throws CONFIG_INVALID, FILE_WRITE_FAILED */
  async revoke(name: string): Promise<boolean> {
    const file = this.#fileOf(name);
    if (!this.#files().includes(file)) return false;
    try {
      await rm(file);
    } catch (thrown) {
      if (isErrno(thrown, 'ENOENT')) return false;
      throw notWritten(file, thrown);
    }
    // A revoked token that is back after a power loss would let its holder in.
    await flushFolder(this.folder);
    this.#checkAgainAt = 0;
    return true;
  }

  #refresh(): void {
    const files = this.#files();
    const state = files.map(stateOf).join();
    if (state !== this.#state) this.#entries = files.flatMap((file) => this.#tokenIn(file));
    this.#state = state;
    this.#checkAgainAt = performance.now() + CHECK_EVERY_MS;
  }

  /** By name. */
  #files(): readonly string[] {
    try {
      const names = readdirSync(this.folder).filter((name) => TOKEN_FILE.test(name));
      return names.sort().map((name) => join(this.folder, name));
    } catch (thrown) {
      if (isErrno(thrown, 'ENOENT')) return [];
      throw invalid(this.folder, `the tokens cannot be read (${errnoOf(thrown)})`, thrown);
    }
  }

  /** Nothing for a copy under another name, as a sync client makes it: it would outlive the token. @throws CONFIG_INVALID */
  #tokenIn(file: string): readonly TokenEntry[] {
    return read(file).filter(({ name }) => this.#fileOf(name) === file);
  }

  /** With more than the name, which Windows may keep for a device. */
  #fileOf(name: string): string {
    return join(this.folder, `token-${name}.json`);
  }
}

/** The folder of a server: servers with other configs have other tokens. @param stateFolder of all vaults @param key names the config */
export function tokensFolder(stateFolder: string, key: string): string {
  const name = createHash('sha256').update(key).digest('hex').slice(0, DIGITS);
  return join(stateFolder, `http-tokens-${name}`);
}

/** @throws CONFIG_INVALID */
function stateOf(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return `${file} ${stats?.ino} ${stats?.mtimeMs}`;
  } catch (thrown) {
    throw invalid(file, `it cannot be read (${errnoOf(thrown)})`, thrown);
  }
}

/** Nothing if another process has revoked the token in the meantime. @throws CONFIG_INVALID */
function read(file: string): readonly TokenEntry[] {
  try {
    const entry = ENTRY.safeParse(readOwnJson(file)).data;
    if (entry !== undefined) return [entry];
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT')) return [];
    throw invalid(file, `it cannot be read (${errnoOf(thrown)})`, thrown);
  }
  throw invalid(file, 'this is not a token');
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function invalid(path: string, what: string, cause?: unknown): VaultgraphError {
  const [, name] = TOKEN_FILE.exec(basename(path)) ?? [];
  const revoke = commandLine(`tokens revoke ${shellWord(name ?? '')}`);
  const advice = `Restore it, or run \`${revoke}\` and add a new one; no token is accepted before that.`;
  const faults = [{ file: shownPath(path), what }];
  return new VaultgraphError('CONFIG_INVALID', name === undefined ? { faults } : { faults, advice }, { cause });
}

/** A process that was killed before it showed the secret leaves a token that no client can use. */
function taken(path: string, name: string): VaultgraphError {
  const faults = [{ file: shownPath(path), what: `there is a token ${name} already` }];
  const advice = `Choose another name; if the token was never shown or is lost, run \`vaultgraph tokens revoke ${name}\` first.`;
  return new VaultgraphError('CONFIG_INVALID', { faults, advice });
}

function notWritten(file: string, cause: unknown): VaultgraphError {
  const details = { path: shownPath(file), errno: errnoOf(cause), step: 'write', original_intact: true };
  return new VaultgraphError('FILE_WRITE_FAILED', details, { cause });
}
