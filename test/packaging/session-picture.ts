// Records the session of `npm run demo` as an animated picture for the README: `node test/packaging/session-picture.ts`.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const COLUMNS = 104;
const ROWS = 17;
const CHARACTER = { width: 7.25, height: 18 };
const MARGIN = 20;
const SECONDS = 5;
const COLOURS = { back: '#1d2433', question: '#f6b73c', call: '#5ec4b6', answer: '#d7dce6', error: '#ef8a87' };

/** A question with its call and its answer, as printed. */
interface Scene {
  readonly question: string;
  readonly call: string;
  readonly answer: readonly string[];
}

function scenesIn(session: string): readonly Scene[] {
  const [, ...parts] = session.split('\n── ');
  return parts.map((part) => {
    const [question = '', call = '', ...answer] = part.split('\n');
    return {
      question,
      call: call.trim(),
      answer: answer.filter((line) => line !== '' && !/^(?:index|next_cursor|Error-Id):/.test(line)),
    };
  });
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const fitted = (line: string): string => (line.length <= COLUMNS ? line : `${line.slice(0, COLUMNS - 1)}…`);

function line(text: string, row: number, colour: string): string {
  const y = MARGIN + (row + 1) * CHARACTER.height;
  return `<text x="${MARGIN}" y="${y}" fill="${colour}" xml:space="preserve">${escaped(fitted(text))}</text>`;
}

function scene({ question, call, answer }: Scene, at: number): string {
  const rest = answer.length - (ROWS - 3);
  const shown = rest > 0 ? [...answer.slice(0, ROWS - 4), `… ${rest + 1} more lines`] : answer;
  const colourOf = (text: string): string => (text.startsWith('Error') ? COLOURS.error : COLOURS.answer);
  const lines = [
    line(`> ${question}`, 0, COLOURS.question),
    line(`  ${call}`, 1, COLOURS.call),
    ...shown.map((text, row) => line(text, row + 3, colourOf(text))),
  ];
  return `<g class="scene" style="animation-delay:${at * SECONDS}s">${lines.join('')}</g>`;
}

/** Each scene is shown in its turn. Where motion is not wanted, only the first. */
function picture(scenes: readonly Scene[]): string {
  const [width, height] = [Math.round(2 * MARGIN + COLUMNS * CHARACTER.width), 2 * MARGIN + ROWS * CHARACTER.height];
  const share = (100 / scenes.length).toFixed(2);
  const style = [
    'text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}',
    `.scene{opacity:0;animation:turn ${scenes.length * SECONDS}s infinite step-end}`,
    `@keyframes turn{0%{opacity:1}${share}%{opacity:0}}`,
    '@media (prefers-reduced-motion:reduce){.scene{animation:none}.scene:first-of-type{opacity:1}}',
  ].join('');
  const title = 'A session: an assistant asks vaultgraph about the notes of a lighthouse keeper';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img"><title>${title}</title><style>${style}</style><rect width="${width}" height="${height}" rx="8" fill="${COLOURS.back}"/>${scenes.map(scene).join('')}</svg>\n`;
}

const session = execFileSync(process.execPath, ['test/demo.ts'], { cwd: ROOT, encoding: 'utf8' });
writeFileSync(join(ROOT, 'docs/session.svg'), picture(scenesIn(session)));
