// Puts the style and the script of the page for assistants into its HTML; the server adds `drawing.js`, which the graph page has too.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param folder with `app.html`, `app.css` and `app.js`; only the first is kept */
export function inlineApp(folder: string): void {
  const file = (name: string): string => join(folder, name);
  const [page, style, script] = ['app.html', 'app.css', 'app.js'].map((name) =>
    readFileSync(file(name), 'utf8').trim(),
  );
  // Replacement functions, because the inserted text may contain `$` patterns of `replace`.
  const whole = page
    ?.replace('/* app.css */', () => style ?? '')
    .replace('/* app.js */', () => (script ?? '').replaceAll('</script', '<\\/script'));
  writeFileSync(file('app.html'), whole ?? '');
  for (const name of ['app.css', 'app.js']) rmSync(file(name));
}

if (import.meta.main) inlineApp(join(import.meta.dirname, '../../dist/page'));
