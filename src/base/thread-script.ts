// Where the script of a worker thread lies.

/**
 * The script `name` beside the code that starts it: TypeScript beside the sources, JavaScript in the build, which lays all its
 * files into one folder.
 * @param beside the starting module's `import.meta.url`
 */
export function threadScript(name: string, beside: string): URL {
  return new URL(`./${name}${beside.endsWith('.ts') ? '.ts' : '.js'}`, beside);
}
