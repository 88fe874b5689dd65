// A server on loopback that speaks OpenAI's embeddings in the manner of one that people run: hashed words for weights, failures on demand.
import { type Answer, jsonAnswer, type LoggedRequest } from './http/exchange.ts';
import { type Loopback, openLoopback } from './http/loopback.ts';
import { answerEmbeddings, type OpenaiSettings, USUAL_OPENAI } from './openai/embed.ts';
import { FLAVOURS, type FlavourName } from './openai/flavours.ts';

interface Start extends Partial<OpenaiSettings> {
  /** llama.cpp without it. */
  readonly flavour?: FlavourName;
  readonly host?: '127.0.0.1' | '::1';
}

export interface OpenaiServer extends Loopback {
  /** What goes into the config: the base path. */
  readonly endpoint: string;
  /** From the next request on. */
  change(settings: Partial<OpenaiSettings>): void;
}

export async function startOpenai({
  flavour: name = 'llama.cpp',
  host,
  ...settings
}: Start = {}): Promise<OpenaiServer> {
  let now: OpenaiSettings = { ...USUAL_OPENAI, ...settings };
  const flavour = FLAVOURS[name];

  const answer = async ({ method, path, headers, body }: LoggedRequest, closed: AbortSignal): Promise<Answer> => {
    if (now.apiKey !== undefined && headers.authorization !== `Bearer ${now.apiKey}`)
      return flavour.error(401, 'Invalid API Key');
    if (method === 'POST' && path === '/v1/embeddings') return answerEmbeddings(body, now, flavour, closed);
    if (method === 'GET' && path === '/v1/models' && flavour.listsModels) return listed(now);
    return flavour.unknownPath(method, path);
  };

  const loopback = await openLoopback(answer, host);
  return Object.freeze({
    ...loopback,
    endpoint: `${loopback.origin}/v1`,
    change: (changed: Partial<OpenaiSettings>) => {
      now = { ...now, ...changed };
    },
  });
}

const listed = ({ model }: OpenaiSettings): Answer =>
  jsonAnswer(200, { object: 'list', data: [{ id: model, object: 'model', created: 1_763_000_000, owned_by: 'here' }] });
