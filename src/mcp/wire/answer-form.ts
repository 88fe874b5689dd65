// Decides whether a client gets an answer as text, as structured content or both.
import type { WireRequest } from './method.ts';

export type AnswerForm = 'both' | 'text' | 'structured';
export type AnswerFormSetting = AnswerForm | 'auto';

/** These clients give the model only the JSON of the structured half, which costs more tokens than the text. */
const TEXT_ONLY = /^(?:claude[-_ ]?code|visual studio code|vs ?code|code - oss)(?![a-z\d])/i;

/**
 * By default both halves, and the text alone for clients that would otherwise pass on the JSON. A client that shows the graph app gets both,
 * because the page is drawn from the structured half, and so does one that was given output schemas, because it validates that half.
 */
export function answerForm(
  setting: AnswerFormSetting,
  { client, showsApps = false }: Pick<WireRequest, 'client' | 'showsApps'>,
  hasSchemas = false,
): AnswerForm {
  if (setting !== 'auto') return setting;
  return TEXT_ONLY.test(client.trim()) && !showsApps && !hasSchemas ? 'text' : 'both';
}

/** Their models write code that calls tools, which has to know the form of an answer. */
const RUNS_CODE = /code[-_ ]?mode|^(?:codex|goose|mcporter|opencode)(?![a-z\d])/i;

/** Whether the list of tools includes output schemas: by default for clients that run code with tools, if they get the half it is about. */
export function listsSchemas(
  setting: boolean | 'auto',
  form: AnswerFormSetting,
  { client }: Pick<WireRequest, 'client'>,
): boolean {
  if (setting !== 'auto') return setting;
  return form !== 'text' && RUNS_CODE.test(client.trim());
}

/** Whether the client is offered the graph app. */
export function offersApp(setting: AnswerFormSetting, request: Pick<WireRequest, 'client' | 'showsApps'>): boolean {
  return request.showsApps === true && answerForm(setting, request) !== 'text';
}
