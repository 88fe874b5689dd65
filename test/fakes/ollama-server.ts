// A fake Ollama on loopback with the real protocol: vectors from hashed words, scripted answers, failures on demand.
import { isIP } from 'node:net';
import { type Answer, jsonAnswer, type LoggedRequest, textAnswer } from './http/exchange.ts';
import { atNthRequest, type Loopback, openLoopback } from './http/loopback.ts';
import { answerChat } from './ollama/chat.ts';
import { answerEmbed } from './ollama/embed.ts';
import { createModel, fullNameOf, type Model, type ModelSettings } from './ollama/model.ts';
import { answerPull, type PullSettings, USUAL_PULL } from './ollama/pull.ts';
import { answerPs, answerShow, answerTags } from './ollama/reply.ts';
import { MIN_ANSWER, type Script } from './scripted-model.ts';

interface Start {
  /** Default: one `embeddinggemma` with 64 dimensions. */
  readonly models?: readonly Partial<ModelSettings>[];
  /** The models that can be pulled. */
  readonly library?: readonly Partial<ModelSettings>[];
  /** Default: `127.0.0.1`. */
  readonly host?: '127.0.0.1' | '::1';
  readonly version?: string;
  /** Whether `ps` lists a model that is still loading, as some server versions do. */
  readonly psListsLoading?: boolean;
  /** The answers of chat models; default: the smallest value of the schema. */
  readonly script?: Script;
}

export interface OllamaServer extends Loopback {
  /** The model of that name in its current state. @throws for an unknown name */
  model(name: string): Model;
  /** Adds a model, or replaces the one of the same name. It is not loaded. */
  install(settings: Partial<ModelSettings>): void;
  /** Changes an existing model, for example its digest under the same tag, and unloads it. */
  change(name: string, settings: Partial<ModelSettings>): void;
  /** As `change`, at the nth request to embed from now on, before it is answered. */
  changeAt(nth: number, name: string, settings: Partial<ModelSettings>): void;
  remove(name: string): void;
  /** Sets how pulls behave from now on. */
  pulls(settings: Partial<PullSettings>): void;
  /** Sets the answers of chat models from now on. */
  writes(script: Script): void;
}

type Route = (request: LoggedRequest, closed: AbortSignal) => Promise<Answer> | Answer;

export async function startOllama(start: Start = {}): Promise<OllamaServer> {
  const models = byName(start.models ?? [{}]);
  const library = byName(start.library ?? []);
  let pullSettings = USUAL_PULL;
  let script = start.script ?? MIN_ANSWER;
  const install = (model: Model): void => {
    models.set(model.fullName, model);
  };

  const routes: Readonly<Record<string, Route>> = {
    'GET /': () => textAnswer(200, 'Ollama is running'),
    'GET /api/version': () => jsonAnswer(200, { version: start.version ?? '0.33.0' }),
    'GET /api/tags': () => answerTags(models.values()),
    'GET /api/ps': () => answerPs(models.values(), start.psListsLoading ?? false),
    'POST /api/show': ({ body }) => answerShow(body, models),
    'POST /api/embed': ({ body }, closed) => answerEmbed(body, models, closed),
    'POST /api/chat': ({ body }, closed) => answerChat(body, models, script, closed),
    'POST /api/pull': ({ body }, closed) =>
      answerPull(String(body.model || body.name), library, pullSettings, closed, install),
  };

  const changes = atNthRequest('/api/embed');
  const loopback = await openLoopback(async (request, closed) => {
    changes.count(request);
    if (!isAllowedHost(request.headers.host ?? '')) return { status: 403, body: '' };
    return (routes[`${request.method} ${request.path}`] ?? noRoute(routes, request.path))(request, closed);
  }, start.host);

  const model = (name: string): Model => {
    const known = models.get(fullNameOf(name));
    if (known === undefined) throw new Error(`the fake Ollama has no ${name}`);
    return known;
  };
  const change = (name: string, settings: Partial<ModelSettings>) =>
    install(createModel({ ...model(name), ...settings }));
  return Object.freeze({
    ...loopback,
    model,
    install: (settings: Partial<ModelSettings>) => install(createModel(settings)),
    change,
    changeAt: (nth: number, name: string, settings: Partial<ModelSettings>) =>
      changes.at(nth, () => change(name, settings)),
    remove: (name: string) => {
      models.delete(fullNameOf(name));
    },
    pulls: (settings: Partial<PullSettings>) => {
      pullSettings = { ...pullSettings, ...settings };
    },
    writes: (other: Script) => {
      script = other;
    },
  });
}

function byName(settings: readonly Partial<ModelSettings>[]): Map<string, Model> {
  return new Map(settings.map(createModel).map((model) => [model.fullName, model]));
}

function noRoute(routes: Readonly<Record<string, Route>>, path: string): Route {
  const isKnown = Object.keys(routes).some((route) => route.endsWith(` ${path}`));
  return () => (isKnown ? textAnswer(405, '405 method not allowed') : textAnswer(404, '404 page not found'));
}

/** A server on loopback rejects host names through which a web page could reach it. */
function isAllowedHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return isIP(name) !== 0 || name === 'localhost' || /\.(?:localhost|local|internal)$/.test(name);
}
