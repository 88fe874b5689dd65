// Writes a command of this program as the user can type it: started the same way, for the same vault.
import { existsSync } from 'node:fs';
import { basename, delimiter, join, relative, resolve } from 'node:path';

/** How this process was started. */
interface Start {
  /** Node, the script, and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The `PATH` variable. */
  readonly path: string;
}

const thisStart = (): Start => ({ argv: process.argv, cwd: process.cwd(), path: process.env.PATH ?? '' });

/** Such as `vaultgraph doctor --vault ~/Notes`, with the options that say what this process works on; of a server, with whole paths. */
export function commandLine(command: string, start: Start = thisStart()): string {
  return [programName(start), command, ...placeOptions(start).map(shellWord)].join(' ');
}

/** `vaultgraph`, `npx vaultgraph` or `node dist/main.js`. */
export function programName({ argv, cwd, path }: Start = thisStart()): string {
  const [, script = '', command] = argv;
  if (/[\\/](?:_npx|dlx-[^\\/]*)[\\/]/.test(script)) return 'npx vaultgraph';
  if (isInPackages(script)) return isGlobal(script) || isOnPath(path) ? 'vaultgraph' : 'npx vaultgraph';
  if (!/^main\.[jt]s$/.test(basename(script))) return 'vaultgraph';
  const way = relative(cwd, script);
  // A client starts servers in a folder that the user does not know.
  const isNear = !way.startsWith('..') && command !== 'serve';
  return `node ${shellWord(isNear ? way : script)}`;
}

/** In double quotes if a shell would split it. */
export const shellWord = (word: string): string => (/[\s"'\\$`&;|<>()*?]/.test(word) ? JSON.stringify(word) : word);

const isInPackages = (script: string): boolean => /[\\/]node_modules[\\/](?:vaultgraph|\.bin)[\\/]/.test(script);
/** The folders of `npm install --global`, which are on the user's `PATH` even if a client starts the server with another one. */
const isGlobal = (script: string): boolean => /[\\/](?:lib|npm)[\\/]node_modules[\\/]/.test(script);

/** `npx` and `npm run` put folders of their own on the `PATH`, which the user's shell does not have. */
function isOnPath(path: string): boolean {
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !/node_modules[\\/]\.bin$/.test(folder));
  return folders.some((folder) => ['vaultgraph', 'vaultgraph.cmd'].some((name) => existsSync(join(folder, name))));
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
