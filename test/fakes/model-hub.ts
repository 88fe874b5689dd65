// A hub of models on loopback: answers `resolve` as the public hub does, with a tiny generated model, and fails on demand.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { smallModel, writeModel } from './model2vec-folder.ts';

export const REPOSITORY = 'minishlab/potion-base-8M';
export const COMMIT = 'c0ffee0000000000000000000000000000000001';
const TABLE = 'model.safetensors';

export interface ModelHub {
  /** `http://127.0.0.1:1234` */
  readonly origin: string;
  /** `METHOD path range`, in the order they arrived. */
  readonly requests: string[];
  readonly files: Map<string, Buffer>;
  /** Changes how contents are sent; all may be changed at any time. */
  readonly behaviour: {
    /** Sends this many bytes of the table and then closes the connection. */
    cutAfter?: number | undefined;
    /** Sends this many bytes of the table and then nothing more. */
    hangAfter?: number | undefined;
    /** Sends other bytes than the hash is of. */
    isWrong?: boolean;
    /** Sends the table from here: the origin of another server of the same files, or any address. */
    redirectTo?: string | undefined;
    /** Sends the table in place of all the above. @param from where the client continues */
    send?: ((response: ServerResponse, content: Buffer, from: number) => void) | undefined;
    /** Answers every request with this status. */
    status?: number | undefined;
  };
  close(): Promise<void>;
}

export async function openModelHub(): Promise<ModelHub> {
  const requests: string[] = [];
  const files = modelFiles();
  const behaviour: ModelHub['behaviour'] = {};
  const server = createServer((request, response) => {
    requests.push([request.method, request.url, request.headers.range].filter(Boolean).join(' '));
    answer(request, response, files, behaviour);
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    files,
    behaviour,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The files of a model in a temporary folder, which is removed. */
function modelFiles(): Map<string, Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-hub-'));
  writeModel(folder, smallModel(64));
  const names = [TABLE, 'tokenizer.json', 'config.json'];
  const files = new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
  rmSync(folder, { recursive: true });
  return files;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  files: ReadonlyMap<string, Buffer>,
  behaviour: ModelHub['behaviour'],
): void {
  const [, path = '', revision = '', name = ''] = /^\/(.+?)\/resolve\/([^/]+)\/(.+)$/.exec(request.url ?? '') ?? [];
  const content = files.get(name);
  if (behaviour.status !== undefined) return void response.writeHead(behaviour.status).end();
  if (dirname(path) !== dirname(REPOSITORY) || !['main', COMMIT].includes(revision) || content === undefined)
    return void response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end();
  const headers: Record<string, string> = { 'x-repo-commit': COMMIT, 'accept-ranges': 'bytes' };
  const isLarge = name === TABLE;
  if (isLarge)
    Object.assign(headers, { 'x-linked-size': `${content.length}`, 'x-linked-etag': `"${sha256(content)}"` });
  else headers.etag = `"${gitHash(content)}"`;
  if (isLarge && behaviour.redirectTo !== undefined) {
    const location = `${behaviour.redirectTo}${request.url}`;
    return void response.writeHead(302, { ...headers, location, 'content-length': 0 }).end();
  }
  if (request.method === 'HEAD')
    return void response.writeHead(200, { ...headers, 'content-length': content.length }).end();
  sendContent(request, response, { content, headers, behaviour: isLarge ? behaviour : {} });
}

interface Sending {
  readonly content: Buffer;
  readonly headers: Record<string, string>;
  readonly behaviour: ModelHub['behaviour'];
}

function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  { content, headers, behaviour }: Sending,
): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (behaviour.send !== undefined) {
    behaviour.send(response, content, from);
    return;
  }
  const sent = Buffer.from(content.subarray(from));
  if (behaviour.isWrong) sent[sent.length - 1] = (sent.at(-1) as number) ^ 1;
  const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
  response.writeHead(from > 0 ? 206 : 200, { ...headers, ...(from > 0 && range), 'content-length': sent.length });
  const { cutAfter, hangAfter } = behaviour;
  if (cutAfter !== undefined)
    response.write(sent.subarray(0, cutAfter), () => setTimeout(() => response.destroy(), 50));
  else if (hangAfter !== undefined) response.write(sent.subarray(0, hangAfter));
  else response.end(sent);
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const gitHash = (bytes: Buffer): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
