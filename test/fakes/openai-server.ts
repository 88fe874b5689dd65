// A fake OpenAI-compatible server on loopback in several flavours: vectors from hashed words, failures on demand.
import { type Answer, jsonAnswer, type LoggedRequest } from './http/exchange.ts';
import { atNthRequest, type Loopback, openLoopback } from './http/loopback.ts';
import { answerChat } from './openai/chat.ts';
import { answerEmbeddings, type OpenaiSettings, USUAL_OPENAI } from './openai/embed.ts';
import { FLAVOURS, type FlavourName } from './openai/flavours.ts';
import { MIN_ANSWER, type Script } from './scripted-model.ts';

interface Start extends Partial<OpenaiSettings> {
  /** Default: llama.cpp. */
  readonly flavour?: FlavourName;
  readonly host?: '127.0.0.1' | '::1';
  /** The model's answers; default: the smallest value of the schema. */
  readonly script?: Script;
}

export interface OpenaiServer extends Loopback {
  /** The base URL for the config. */
  readonly endpoint: string;
  /** Changes the settings from the next request on. */
  change(settings: Partial<OpenaiSettings>): void;
  /** As `change`, at the nth request to embed from now on, before it is answered. */
  changeAt(nth: number, settings: Partial<OpenaiSettings>): void;
  /** Sets the model's answers from now on. */
  writes(script: Script): void;
}

export async function startOpenai({
  flavour: name = 'llama.cpp',
  host,
  script: first = MIN_ANSWER,
  ...settings
}: Start = {}): Promise<OpenaiServer> {
  let now: OpenaiSettings = { ...USUAL_OPENAI, ...settings };
  let script = first;
  const flavour = FLAVOURS[name];

  const changes = atNthRequest('/v1/embeddings');
  const change = (changed: Partial<OpenaiSettings>): void => {
    now = { ...now, ...changed };
  };

  const answer = async (request: LoggedRequest, closed: AbortSignal): Promise<Answer> => {
    changes.count(request);
    const { method, path, headers, body } = request;
    if (now.apiKey !== undefined && headers.authorization !== `Bearer ${now.apiKey}`)
      return flavour.error(401, 'Invalid API Key');
    if (method === 'POST' && path === '/v1/embeddings') return answerEmbeddings(body, now, flavour, closed);
    if (method === 'POST' && path === '/v1/chat/completions' && flavour.chats)
      return answerChat(body, now, flavour, script, closed);
    if (method === 'GET' && path === '/v1/models' && flavour.listsModels) return listed(now);
    return flavour.unknownPath(method, path);
  };

  const loopback = await openLoopback(answer, host);
  return Object.freeze({
    ...loopback,
    endpoint: `${loopback.origin}/v1`,
    change,
    changeAt: (nth: number, changed: Partial<OpenaiSettings>) => changes.at(nth, () => change(changed)),
    writes: (other: Script) => {
      script = other;
    },
  });
}

const listed = ({ model }: OpenaiSettings): Answer =>
  jsonAnswer(200, { object: 'list', data: [{ id: model, object: 'model', created: 1_763_000_000, owned_by: 'here' }] });
