// Writes a command of this program as the user can type it: started the same way, for the same vault.
import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative, resolve, sep } from 'node:path';

/** How this process was started. */
interface Start {
  /** Node, the script, and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The `PATH` variable. */
  readonly path: string;
  /** The path of the running Node. */
  readonly execPath: string;
}

const thisStart = (): Start => {
  const { argv, execPath, env } = process;
  return { argv, cwd: process.cwd(), path: env.PATH ?? '', execPath };
};

/** Such as `vaultgraph doctor --vault ~/Notes`, with the options that say what this process works on; of a server, with whole paths. */
export function commandLine(command: string, start: Start = thisStart()): string {
  return [programName(start), command, ...placeOptions(start).map(shellWord)].join(' ');
}

/** `vaultgraph`, `npx vaultgraph`, `node dist/main.js` or, where that is another Node, the one that runs: `node_modules/.bin/node dist/main.js`. */
export function programName(start: Start = thisStart()): string {
  const [, script = ''] = start.argv;
  if (/[\\/](?:_npx|dlx-[^\\/]*)[\\/]/.test(script)) return 'npx vaultgraph';
  if (isInPackages(script)) return isGlobal(script) || isOnPath(start.path) ? 'vaultgraph' : 'npx vaultgraph';
  if (!/^main\.[jt]s$/.test(basename(script))) return 'vaultgraph';
  return `${nodeName(start, script)} ${near(script, start)}`;
}

/** The Node of a checkout, which `npm ci` installs there. @param script the program in its folder of the checkout */
export const nodeOfCheckout = (script: string): string => join(dirname(dirname(script)), 'node_modules/.bin/node');

/** A path as it is typed here. A client starts servers in a folder that the user does not know. */
export function near(path: string, { argv: [, , command], cwd }: Pick<Start, 'argv' | 'cwd'> = thisStart()): string {
  const way = relative(cwd, path);
  return shellWord(way.startsWith('..') || command === 'serve' ? path : way);
}

function nodeName(start: Start, script: string): string {
  const { execPath, path } = start;
  const onPath = userFolders(path)
    .map((folder) => join(folder, basename(execPath)))
    .find((file) => file === execPath || existsSync(file));
  if (onPath !== undefined && isSameFile(onPath, execPath)) return 'node';
  const node = nodeOfCheckout(script);
  return near(isSameFile(node, execPath) ? node : execPath, start);
}

function isSameFile(one: string, other: string): boolean {
  return one === other || (existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other));
}

const CONTROL = /\p{Cc}/u;
const CONTROLS = new RegExp(CONTROL, 'gu');

/** The escape as bash and zsh read it, so that the command stays on its line and can be copied. */
const escapeOf = (control: string): string =>
  control === '\n' ? '\\n' : `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A word that a shell would split or change, in quotes. */
export function shellWord(word: string): string {
  if (!CONTROL.test(word) && !/^$|[\s"'\\$`&;|<>()*?!{}[\]]|^#|^~(?!\/)/.test(word)) return word;
  if (sep === '\\') return JSON.stringify(word);
  if (CONTROL.test(word)) return `$'${word.replaceAll(/[\\']/g, '\\$&').replaceAll(CONTROLS, escapeOf)}'`;
  return /["\\$`!]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`;
}

const isInPackages = (script: string): boolean => /[\\/]node_modules[\\/](?:vaultgraph|\.bin)[\\/]/.test(script);
/** The folders of `npm install --global`, which are on the user's `PATH` even if a client starts the server with another one. */
const isGlobal = (script: string): boolean => /[\\/](?:lib|npm)[\\/]node_modules[\\/]/.test(script);

/** `npx` and `npm run` put folders of their own on the `PATH`, which the user's shell does not have. */
const userFolders = (path: string): readonly string[] =>
  path.split(delimiter).filter((folder) => folder !== '' && !/node_modules[\\/]\.bin$/.test(folder));

function isOnPath(path: string): boolean {
  return userFolders(path).some((folder) =>
    ['vaultgraph', 'vaultgraph.cmd'].some((name) => existsSync(join(folder, name))),
  );
}

const PLACE_OPTION = /^--(?:config|vault|data-dir|state-dir)(?:=|$)/;

function placeOptions({ argv, cwd }: Start): readonly string[] {
  const [command, ...args] = argv.slice(2);
  const shown = (path: string): string => (command === 'serve' ? resolve(cwd, path) : path);
  return args.flatMap((arg, at) => {
    const [name = '', ...value] = PLACE_OPTION.test(arg) ? arg.split('=') : [];
    if (name === '') return [];
    return [name, shown(value.length > 0 ? value.join('=') : (args[at + 1] ?? ''))];
  });
}
