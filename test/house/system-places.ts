// The law that what differs between the systems is asked, renamed, watched and signalled in one place each.
import { isAt, type Rule, tokenRule } from './rules.ts';
import type { Token } from './tokens.ts';

const RULES = 'src/base/system/system-rules.ts';
const SIGNALS = 'src/base/system/process.ts';
const RENAME = 'src/base/system/rename.ts';
/** The writer has its system calls as one object, which goes through the place of renames. */
const WRITERS_CALLS = 'src/providers/filesystem/writing/disk.ts';
const WATCHING = 'src/providers/filesystem/watching/';
/** Sends nothing: asks whether a process runs. */
const PROBE = 'src/providers/processes/process-identity.ts';

export const onePlacePerSystemMatter: Rule = tokenRule(
  'must leave this to the one place for it',
  (tokens, index, path) =>
    (comparesSystem(tokens, index) && path !== RULES) ||
    (isRename(tokens, index) && path !== RENAME && path !== WRITERS_CALLS) ||
    (isImported('watch', tokens, index) && !path.startsWith(WATCHING)) ||
    (listensToSignal(tokens, index) && path !== SIGNALS) ||
    (isAt(tokens, index, ['process', '.', 'kill']) && path !== SIGNALS && path !== PROBE),
);

function comparesSystem(tokens: readonly Token[], index: number): boolean {
  return isAt(tokens, index, ['process', '.', 'platform']) && /^[!=]==$/.test(tokens[index + 3]?.text ?? '');
}

function isRename(tokens: readonly Token[], index: number): boolean {
  return isAt(tokens, index, ['renameSync']) || isImported('rename', tokens, index);
}

/** Whether the token is this name in the braces of an import of Node's files. */
function isImported(name: string, tokens: readonly Token[], index: number): boolean {
  if (!isAt(tokens, index, [name])) return false;
  const end = tokens.findIndex(({ text }, at) => at > index && !/^(?:[\w$]+|,)$/.test(text));
  return isAt(tokens, end, ['}', 'from']) && /^node:fs(?:\/promises)?$/.test(tokens[end + 2]?.text ?? '');
}

function listensToSignal(tokens: readonly Token[], index: number): boolean {
  const isListening = ['on', 'once'].some((method) => isAt(tokens, index, ['process', '.', method, '(']));
  const event = tokens[index + 4];
  return isListening && event !== undefined && (!event.isText || event.text.startsWith('SIG'));
}
