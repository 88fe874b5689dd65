// Answers a request with the method of its name.
import type { Log } from '../../base/log.ts';
import { failureFields } from '../dispatch/call-journal.ts';
import {
  bugFault,
  METHOD_NOT_FOUND,
  type Methods,
  type Params,
  quotedName,
  type Reply,
  type WireRequest,
} from '../wire/method.ts';
import type { StdioTransport } from './stdio-transport.ts';

/** Never rejects: a method that does has a bug, whose own message may quote anything. */
export async function answerRequest(
  methods: Methods,
  name: string,
  params: Params,
  request: WireRequest,
  log: Log,
): Promise<Reply> {
  const method = methods.get(name);
  if (method === undefined) return { fault: { code: METHOD_NOT_FOUND, message: `no method ${quotedName(name)}` } };
  try {
    return await method(params, request);
  } catch (thrown) {
    const { fault, error } = bugFault(thrown);
    log('error', 'method_broken', { tool: name, ...failureFields(error) });
    return { fault };
  }
}

type SendProgress = (params: { readonly progressToken: string | number; readonly progress: number }) => Promise<void>;

/** Progress is sent only if the client gave a token, and dropped while the client does not read. */
export function progressSender(
  transport: Pick<StdioTransport, 'hasRoom'>,
  token: unknown,
  send: SendProgress,
): Pick<WireRequest, 'progress'> {
  if (typeof token !== 'string' && typeof token !== 'number') return {};
  const progress: WireRequest['progress'] = (note) => {
    if (!transport.hasRoom) return;
    // A notification fails only when the connection closes, which is handled elsewhere.
    void send({ progressToken: token, ...note }).catch(() => undefined);
  };
  return { progress };
}
