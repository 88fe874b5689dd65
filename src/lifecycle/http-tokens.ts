// Keeps the bearer tokens of HTTP clients in a file, as hashes, and finds the one that a client sends.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '../base/atomic-write.ts';
import { errnoOrRethrow } from '../base/errno.ts';
import { VaultgraphError } from '../base/errors.ts';
import { shownPath } from '../base/shown-path.ts';

const ENTRY = z.strictObject({
  name: z.string(),
  /** The view of the config that the token sees; what the server's own config says if it is absent. */
  view: z.string().optional(),
  /** Of the token, in hexadecimal digits. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created: z.string(),
});
const CONTENT = z.strictObject({ tokens: z.array(ENTRY) });

export type TokenEntry = z.infer<typeof ENTRY>;

const SECRET_BYTES = 32;
const PREFIX = 'vg_';
const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;
const DIGITS = 16;
/** Looking at the file for each of many requests would take longer than the rest of the check. */
const CHECK_EVERY_MS = 50;

export class HttpTokens {
  readonly file: string;
  #entries: readonly TokenEntry[] = [];
  #state = '';
  #checkAgainAt = 0;

  constructor(file: string) {
    this.file = file;
  }

  /** Reads the file again if it has changed. @throws CONFIG_INVALID if it cannot be read, or is not such a file */
  list(): readonly TokenEntry[] {
    if (performance.now() >= this.#checkAgainAt) this.#refresh();
    return this.#entries;
  }

  /** Whether a token passes the test; false while the file cannot be read. */
  has(test: (entry: TokenEntry) => boolean): boolean {
    try {
      return this.list().some(test);
    } catch {
      return false;
    }
  }

  /** Compares with every token, in constant time. @throws as `list` */
  find(secret: string): TokenEntry | undefined {
    const digest = digestOf(secret);
    let found: TokenEntry | undefined;
    for (const entry of this.list()) if (timingSafeEqual(Buffer.from(entry.sha256, 'hex'), digest)) found = entry;
    return found;
  }

  /** @returns the token, which is not kept. @throws as `list`; CONFIG_INVALID if the name is taken */
  async add(name: string, view: string | undefined): Promise<string> {
    const tokens = this.list();
    if (tokens.some((token) => token.name === name)) throw this.#invalid(`there is a token ${name} already`);
    const secret = `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64url')}`;
    const sha256 = digestOf(secret).toString('hex');
    await this.#write([
      ...tokens,
      { name, ...(view !== undefined && { view }), sha256, created: new Date().toISOString() },
    ]);
    return secret;
  }

  /** @returns whether there was such a token. @throws as `list` */
  async revoke(name: string): Promise<boolean> {
    const tokens = this.list();
    const left = tokens.filter((token) => token.name !== name);
    if (left.length === tokens.length) return false;
    await this.#write(left);
    return true;
  }

  #refresh(): void {
    const state = this.#stateOnDisk();
    if (state !== this.#state) this.#entries = state === '' ? [] : this.#read();
    this.#state = state;
    this.#checkAgainAt = performance.now() + CHECK_EVERY_MS;
  }

  #read(): readonly TokenEntry[] {
    try {
      return CONTENT.parse(JSON.parse(readFileSync(this.file, 'utf8'))).tokens;
    } catch (thrown) {
      throw this.#invalid('this is not a list of tokens', thrown);
    }
  }

  #stateOnDisk(): string {
    try {
      const { ino, size, mtimeMs } = statSync(this.file);
      return `${ino} ${size} ${mtimeMs}`;
    } catch (thrown) {
      const errno = errnoOrRethrow(thrown);
      if (errno === 'ENOENT' || errno === 'ENOTDIR') return '';
      throw this.#invalid(`the tokens cannot be read (${errno})`, thrown);
    }
  }

  async #write(tokens: readonly TokenEntry[]): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true, mode: PRIVATE_FOLDER });
    this.#checkAgainAt = 0;
    await replaceFile(this.file, `${JSON.stringify({ tokens }, null, 2)}\n`, { mode: PRIVATE, flush: true });
  }

  #invalid(what: string, cause?: unknown): VaultgraphError {
    return new VaultgraphError('CONFIG_INVALID', { faults: [{ file: shownPath(this.file), what }] }, { cause });
  }
}

/** The file of a server: servers with other configs have other tokens. @param stateFolder of all vaults @param key names the config */
export function tokensFile(stateFolder: string, key: string): string {
  const name = createHash('sha256').update(key).digest('hex').slice(0, DIGITS);
  return join(stateFolder, `http-tokens-${name}.json`);
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
