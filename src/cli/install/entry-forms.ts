// The forms in which clients write a server into their settings.
import { isObject } from '../../base/plain-object.ts';

/** The command a client starts. Paths are absolute, because clients have neither the user's shell nor a working directory. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export interface EntryForm {
  /** @param name of the server in the settings */
  write(server: ServerCommand, name: string): object;
  /** The command and its arguments; undefined for an entry that starts no program, such as an address. */
  read(entry: unknown): readonly string[] | undefined;
}

const plain = ({ command, args }: ServerCommand) => ({ command, args: [...args] });

/** `command` and `args`, with further members of the client. */
function withCommand(more: object = {}): EntryForm {
  return { write: (server) => ({ ...more, ...plain(server) }), read: readCommand('command') };
}

function readCommand(member: string): EntryForm['read'] {
  return (entry) => {
    if (!isObject(entry) || typeof entry[member] !== 'string') return undefined;
    return [entry[member], ...textsIn(entry.args)];
  };
}

const textsIn = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];

export const PLAIN = withCommand();
export const WITH_TYPE = withCommand({ type: 'stdio' });

/** It defers the tools of a server unless the entry says to load them at once. */
export const CLAUDE_CODE: EntryForm = {
  ...WITH_TYPE,
  write: (server) => ({ type: 'stdio', ...plain(server), alwaysLoad: true }),
};

/** It also needs the list of tools that may be used. */
export const COPILOT: EntryForm = {
  ...WITH_TYPE,
  write: (server) => ({ type: 'stdio', ...plain(server), tools: ['*'], deferTools: 'never' }),
};

export const ZED: EntryForm = { ...PLAIN, write: (server) => ({ ...plain(server), env: {} }) };

export const CLINE: EntryForm = { ...PLAIN, write: (server) => ({ ...plain(server), disabled: false }) };

/** An item of a list, so that it holds its own name. */
export const CONTINUE: EntryForm = {
  ...WITH_TYPE,
  write: (server, name) => ({ name, type: 'stdio', ...plain(server) }),
};

const GOOSE_SECONDS = 300;

export const GOOSE: EntryForm = {
  write: ({ command, args }, name) => ({
    name,
    type: 'stdio',
    enabled: true,
    cmd: command,
    args: [...args],
    envs: {},
    timeout: GOOSE_SECONDS,
  }),
  read: readCommand('cmd'),
};

export const OPENCODE: EntryForm = {
  write: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
  read: (entry) => (isObject(entry) && Array.isArray(entry.command) ? textsIn(entry.command) : undefined),
};
