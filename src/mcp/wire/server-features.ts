// Puts together everything a server offers, and announces exactly that. Knows no tool, no prompt and no SDK.
import type { Log } from '../../base/log.ts';
import type { NoteSigns } from '../../contracts/note-signs.ts';
import type { AnyPrompt } from '../../contracts/prompt.ts';
import type { ArgumentLimits } from '../dispatch/argument-shape.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import type { Exposed } from '../dispatch/expose.ts';
import type { PathMask } from '../render/path-mask.ts';
import { completionMethods } from './completion-methods.ts';
import type { Methods, Notify, Offer } from './method.ts';
import { promptMethods } from './prompt-methods.ts';
import { resourceMethods } from './resource-methods.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';
import { toolMethods } from './tool-methods.ts';

export interface OfferParts {
  readonly exposed: Exposed;
  readonly prompts: ReadonlyMap<string, AnyPrompt>;
  /** Calls a listed tool. */
  readonly dispatch: Dispatch;
  /** Asks what a method of the protocol is answered from. */
  readonly ask: Dispatch;
  readonly noteSigns: NoteSigns;
  readonly structuredContent: boolean;
  readonly outputSchemas?: boolean;
  readonly callLimitMs: number;
  readonly argumentLimits: ArgumentLimits;
  readonly mask: PathMask;
  readonly log: Log;
}

export function createOffer(parts: OfferParts): Offer {
  const { exposed, prompts, dispatch, ask, noteSigns, callLimitMs: limitMs, argumentLimits, mask, log } = parts;
  let subscriptions: Subscriptions | undefined;
  const tools = new Set(exposed.tools.keys());
  const methods = (notify: Notify): Methods => {
    const tell = (uri: string): void => notify('notifications/resources/updated', { uri });
    subscriptions = createSubscriptions(noteSigns, tell, log);
    return new Map([
      ...toolMethods(parts),
      ...resourceMethods({ ask, subscriptions, mask, log }),
      ...(prompts.size === 0 ? [] : promptMethods({ prompts, tools, dispatch, limitMs, argumentLimits, mask, log })),
      ...completionMethods({ prompts, ask }),
    ]);
  };
  return Object.freeze({
    // The lists of tools and prompts are fixed, and that of the notes is asked for again by whoever needs it.
    capabilities: {
      tools: {},
      resources: { subscribe: true },
      ...(prompts.size === 0 ? {} : { prompts: {} }),
      completions: {},
    },
    methods,
    promptNames: [...prompts.keys()],
    counts: { tools: tools.size, prompts: prompts.size },
    close: () => subscriptions?.close(),
  });
}
