// Serves protocol 2026-07-28: each request by its own metadata, without a handshake.
import { randomUUID } from 'node:crypto';
import type { Implementation, JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../../base/log.ts';
import { isObject } from '../../base/plain-object.ts';
import {
  type Fault,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type Methods,
  type OnChange,
  type Params,
  RESOURCE_NOT_FOUND,
  type Reply,
  type ServerFeatures,
  type WireRequest,
} from '../wire/method.ts';
import { MAX_SUBSCRIPTIONS } from '../wire/subscriptions.ts';
import { answerRequest, progressSender } from './answer-request.ts';
import { type AskedCall, PendingQuestions } from './ask-user.ts';
import { DISCOVER, LISTEN } from './protocol-era.ts';
import { META_KEYS, type RequestMetadata, STATELESS_VERSION } from './request-metadata.ts';
import type { StdioTransport } from './stdio-transport.ts';

export interface StatelessOptions {
  readonly identity: Implementation;
  readonly instructions: string;
  readonly capabilities: ServerFeatures['capabilities'];
  readonly methods: Methods;
  readonly transport: Pick<StdioTransport, 'hasRoom' | 'keepOpen' | 'send'>;
  /** Shared by all requests of a client; by default those of this server. */
  readonly questions?: PendingQuestions;
  /** Names what is the session of the client, if it is more than this server. */
  readonly session?: string;
  /** Aborts the calls that run and those that begin later. */
  readonly ending: AbortSignal;
  readonly log: Log;
  /** Called with the name of the client when it gives another one. */
  readonly onClient?: (name: string) => void;
  /** Called with each change of the vault that a call made. */
  readonly onChange?: OnChange;
}

/** The methods that only sessions have. */
const SESSION_METHODS: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);
const CALL = 'tools/call';

/** How long a client may keep a result, in milliseconds: lists change only with a restart, notes at any time. */
const TTL_MS: Readonly<Record<string, number>> = {
  [DISCOVER]: 300_000,
  'tools/list': 300_000,
  'prompts/list': 300_000,
  'resources/templates/list': 300_000,
  'resources/list': 0,
  'resources/read': 0,
};

export class StatelessServer {
  readonly #options: StatelessOptions;
  readonly #methods: Methods;
  readonly #listeners: Listeners;
  readonly #questions: PendingQuestions;
  readonly #running = new Map<RequestId, AbortController>();
  readonly #session: string;
  #client: string | undefined;

  constructor(options: StatelessOptions) {
    const { methods } = options;
    this.#options = options;
    this.#session = options.session ?? randomUUID();
    this.#questions = options.questions ?? new PendingQuestions();
    const offered = [...methods].filter(([name]) => !SESSION_METHODS.has(name));
    this.#methods = new Map([...offered, [DISCOVER, async () => ({ result: this.#discovered() })]]);
    this.#listeners = new Listeners(methods, (method, params) => this.#send({ jsonrpc: '2.0', method, params }));
  }

  /** Tells who listens that a note changed; false if it is to be called again later. */
  readonly report = (uri: string): boolean => this.#options.transport.hasRoom && this.#listeners.report(uri);

  readonly begin = (request: JSONRPCRequest, metadata: RequestMetadata): void => {
    if (metadata.client !== this.#client) this.#options.onClient?.(metadata.client);
    this.#client = metadata.client;
    const stop = new AbortController();
    this.#running.set(request.id, stop);
    void this.#answer(request, metadata, stop).finally(() => {
      if (this.#running.get(request.id) === stop) this.#running.delete(request.id);
    });
  };

  readonly cancel = (id: RequestId): void => {
    this.#running.get(id)?.abort('cancelled by the client');
    this.#listeners.close(id);
  };

  /** Ends the subscriptions with the result of their requests. */
  close(): void {
    for (const id of this.#listeners.ids) {
      this.#listeners.close(id);
      const _meta = { [META_KEYS.subscription]: id, [META_KEYS.server]: this.#server };
      this.#send({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta } });
    }
  }

  async #answer(request: JSONRPCRequest, metadata: RequestMetadata, stop: AbortController): Promise<void> {
    const { id, method } = request;
    if (method === LISTEN) return this.#listen(request, metadata, stop);
    const reply = await this.#reply(request, metadata, stop);
    this.#send({
      jsonrpc: '2.0',
      id,
      ...('fault' in reply ? { error: encodedFault(reply.fault) } : this.#encoded(method, reply.result)),
    });
  }

  async #listen({ id, params }: JSONRPCRequest, metadata: RequestMetadata, stop: AbortController): Promise<void> {
    const fault = await this.#listeners.open(id, params, this.#wireRequest(id, metadata, stop.signal));
    if (fault !== undefined) this.#send({ jsonrpc: '2.0', id, error: fault });
    else this.#options.transport.keepOpen(id);
  }

  async #reply(request: JSONRPCRequest, metadata: RequestMetadata, stop: AbortController): Promise<Reply> {
    const { id, method, params } = request;
    const wire = { ...this.#wireRequest(id, metadata, stop.signal), ...this.#progress(params?._meta?.progressToken) };
    const asking = method === CALL && metadata.showsForms ? this.#questions.begin(params) : undefined;
    if (asking === undefined) return answerRequest(this.#methods, method, params, wire, this.#options.log);
    if ('fault' in asking) return asking;
    const answer = answerRequest(this.#methods, method, params, { ...wire, ask: asking.ask }, this.#options.log);
    return answeredOrAsked(answer, asking, stop);
  }

  #wireRequest(id: RequestId, { client, showsApps }: RequestMetadata, signal: AbortSignal): WireRequest {
    const { onChange, ending } = this.#options;
    const ended = AbortSignal.any([signal, ending]);
    const can = { showsApps, readsLinks: true };
    return { id: String(id), client, session: this.#session, signal: ended, ...can, ...(onChange && { onChange }) };
  }

  #progress(token: unknown): Pick<WireRequest, 'progress'> {
    return progressSender(this.#options.transport, token, async (params) =>
      this.#send({ jsonrpc: '2.0', method: 'notifications/progress', params }),
    );
  }

  get #server(): Implementation {
    const { name, version } = this.#options.identity;
    return { name, version };
  }

  #discovered(): object {
    const { capabilities, instructions, identity } = this.#options;
    const _meta = { [META_KEYS.server]: identity };
    return { supportedVersions: [STATELESS_VERSION], capabilities, instructions, _meta };
  }

  #encoded(method: string, result: object): { readonly result: Record<string, unknown> } {
    const { _meta: meta, ...members } = result as { readonly _meta?: object };
    const _meta = { [META_KEYS.server]: this.#server, ...meta };
    const ttlMs = TTL_MS[method];
    const cache = ttlMs === undefined ? {} : { ttlMs, cacheScope: 'private' };
    return { result: { resultType: 'complete', ...members, ...cache, _meta } };
  }

  #send(message: object): void {
    // It fails only when the connection closes, which is handled elsewhere.
    void this.#options.transport.send(message as JSONRPCMessage).catch(() => undefined);
  }
}

/** A call that has to ask its user is aborted before it changes anything; its client repeats it with the answer. */
async function answeredOrAsked(answer: Promise<Reply>, asked: AskedCall, stop: AbortController): Promise<Reply> {
  const first = await Promise.race([answer, asked.required]);
  if (!('resultType' in first)) return first;
  stop.abort('the client is asked for the consent of its user');
  await answer;
  return { result: first };
}

function encodedFault({ code, ...fault }: Fault): Fault {
  return { code: code === RESOURCE_NOT_FOUND ? INVALID_PARAMS : code, ...fault };
}

const MAX_LISTENERS = 100;
const FLAGS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;

interface Listener {
  readonly uris: Set<string>;
  /** Nothing is reported before the client knows what it listens to. */
  isAcknowledged: boolean;
}

type SendNotification = (method: string, params: { readonly [key: string]: unknown }) => void;

class Listeners {
  readonly #methods: Methods;
  readonly #send: SendNotification;
  readonly #open = new Map<RequestId, Listener>();

  /** @param methods subscribe to resources and unsubscribe from them */
  constructor(methods: Methods, send: SendNotification) {
    this.#methods = methods;
    this.#send = send;
  }

  /** Ids of the requests that listen. */
  get ids(): readonly RequestId[] {
    return [...this.#open.keys()];
  }

  /** Acknowledges those URIs that are resources. Lists of tools and prompts are fixed, so nothing else can change. */
  async open(id: RequestId, params: Params, request: WireRequest): Promise<Fault | undefined> {
    const uris = urisIn(params);
    if ('code' in uris) return uris;
    if (this.#open.size >= MAX_LISTENERS)
      return { code: INTERNAL_ERROR, message: `a connection has at most ${MAX_LISTENERS} open subscriptions` };
    const listener: Listener = { uris: new Set(), isAcknowledged: false };
    this.#open.set(id, listener);
    for (const uri of new Set(uris.uris)) if (await this.#follow(uri, request)) listener.uris.add(uri);
    if (this.#open.get(id) !== listener) {
      this.#unfollow(listener.uris);
      return undefined;
    }
    const notifications = listener.uris.size === 0 ? {} : { resourceSubscriptions: [...listener.uris] };
    this.#send('notifications/subscriptions/acknowledged', { _meta: { [META_KEYS.subscription]: id }, notifications });
    listener.isAcknowledged = true;
    return undefined;
  }

  /** Without effect for any other request. */
  close(id: RequestId): void {
    const listener = this.#open.get(id);
    this.#open.delete(id);
    if (listener?.isAcknowledged) this.#unfollow(listener.uris);
  }

  /** False if a listener is not acknowledged yet: then the change is to be reported again. */
  report(uri: string): boolean {
    const listening = [...this.#open].filter(([, { uris }]) => uris.has(uri));
    if (listening.some(([, { isAcknowledged }]) => !isAcknowledged)) return false;
    for (const [id] of listening)
      this.#send('notifications/resources/updated', { _meta: { [META_KEYS.subscription]: id }, uri });
    return true;
  }

  async #follow(uri: string, request: WireRequest): Promise<boolean> {
    const reply = await this.#methods.get('resources/subscribe')?.({ uri }, request);
    return reply !== undefined && 'result' in reply;
  }

  #unfollow(uris: ReadonlySet<string>): void {
    const followed = new Set([...this.#open.values()].flatMap((listener) => [...listener.uris]));
    const unsubscribe = this.#methods.get('resources/unsubscribe');
    const request: WireRequest = { id: '', client: '', signal: new AbortController().signal };
    for (const uri of uris) if (!followed.has(uri)) void unsubscribe?.({ uri }, request);
  }
}

function urisIn(params: Params): { readonly uris: readonly string[] } | Fault {
  const filter = params?.notifications;
  const invalid = (message: string): Fault => ({ code: INVALID_PARAMS, message });
  if (!isObject(filter)) return invalid('notifications: must be an object');
  const flag = FLAGS.find((name) => filter[name] !== undefined && typeof filter[name] !== 'boolean');
  if (flag !== undefined) return invalid(`notifications.${flag}: must be true or false`);
  const { resourceSubscriptions: uris = [] } = filter;
  const isList = Array.isArray(uris) && uris.every((uri) => typeof uri === 'string');
  if (!isList) return invalid('notifications.resourceSubscriptions: must be a list of URIs');
  if (uris.length > MAX_SUBSCRIPTIONS)
    return invalid(`notifications.resourceSubscriptions: has at most ${MAX_SUBSCRIPTIONS} URIs`);
  return { uris };
}
