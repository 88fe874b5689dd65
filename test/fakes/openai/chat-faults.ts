// Failed chats of the fake OpenAI-compatible server.
import type { Fault } from '../http/exchange.ts';
import { otherParts } from '../http/stream-faults.ts';
import { eventText } from './chat.ts';

// biome-ignore lint/suspicious/noExplicitAny: an event as it goes over the wire.
type Events = any[];

/** The real events without [DONE], changed; a text is sent as it is. */
const otherEvents = (change: (events: Events) => Events): Fault =>
  otherParts((parts) =>
    change(parts.slice(0, -1).map((part) => JSON.parse(part.slice('data: '.length))))
      .map((event) => (typeof event === 'string' ? event : eventText(event)))
      .concat(eventText('[DONE]')),
  );

/** The event with the finish reason, changed. */
const withEnd = (change: (choice: object) => object): Fault =>
  otherEvents((events) =>
    events.map((event) =>
      event.choices[0]?.finish_reason ? { ...event, choices: [change(event.choices[0])] } : event,
    ),
  );

export const endedBy = (finish_reason: string | null): Fault => withEnd((choice) => ({ ...choice, finish_reason }));
/** [DONE] is sent without a finish reason. */
export const withoutEnd = (): Fault => endedBy(null);
export const refusal = (words: string): Fault =>
  otherEvents(([first, ...rest]) => [
    first,
    { ...first, choices: [{ index: 0, delta: { refusal: words }, finish_reason: null }] },
    ...rest.slice(-2),
  ]);
export const signedBy = (model: string): Fault => otherEvents((events) => events.map((event) => ({ ...event, model })));
export const unsigned = (): Fault => otherEvents((events) => events.map(({ model: _model, ...event }) => event));
export const counting = (usage: object): Fault =>
  otherEvents((events) => [...events.slice(0, -1), { ...events.at(-1), usage }]);
export const noEvents = (): Fault => otherParts(() => []);
export const brokenEvent = (): Fault => otherEvents(([first, ...rest]) => [first, 'data: {"choices": [\n\n', ...rest]);
/** This many events, then an error, in one of the two usual formats. */
export const errorAfter = (count: number, error: unknown, field: 'data' | 'error' = 'data'): Fault =>
  otherEvents((events) => [
    ...events.slice(0, count),
    field === 'data' ? eventText({ error }) : `error: ${JSON.stringify(error)}\n\n`,
  ]);
/** Keep-alive comments and other fields that a stream of events may contain. */
export const chatty = (): Fault =>
  otherEvents((events) =>
    events.flatMap((event) => [': keep-alive\n\n', 'event: message\nid: 7\nretry: 10\ndata:\n\n', event]),
  );
