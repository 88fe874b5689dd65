// Serves `subscriptions/listen`: reports changes of the notes that a client listens to, by the id of its request.
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { isObject } from '../../base/plain-object.ts';
import {
  type Fault,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type Methods,
  type Params,
  type WireRequest,
} from '../wire/method.ts';
import { MAX_SUBSCRIPTIONS } from '../wire/subscriptions.ts';
import { META_KEYS } from './request-metadata.ts';

const MAX_LISTENERS = 100;
const FLAGS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const;

interface Listener {
  readonly uris: Set<string>;
  /** Nothing is reported before the client knows what it listens to. */
  isAcknowledged: boolean;
}

type SendNotification = (method: string, params: { readonly [key: string]: unknown }) => void;

export class Listeners {
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

  /** Acknowledges those URIs that are notes. Lists of tools and prompts are fixed, so nothing else can change. */
  async open(id: RequestId, params: Params, request: WireRequest): Promise<Fault | undefined> {
    const wanted = urisIn(params);
    if ('code' in wanted) return wanted;
    if (this.#open.size >= MAX_LISTENERS)
      return { code: INTERNAL_ERROR, message: `a connection has at most ${MAX_LISTENERS} open subscriptions` };
    const listener: Listener = { uris: new Set(), isAcknowledged: false };
    this.#open.set(id, listener);
    for (const uri of new Set(wanted.uris)) if (await this.#follow(uri, request)) listener.uris.add(uri);
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
