// Draws the icon of the one-click bundle: `node test/packaging/icon.ts`.
import { join } from 'node:path';
import { openBrowser } from '../view/browser.ts';
import { ICONS } from './bundle-manifest.ts';

const DISCS = [
  { x: 256, y: 236, r: 74, colour: '#f6b73c' },
  { x: 118, y: 128, r: 42, colour: '#5ec4b6' },
  { x: 398, y: 120, r: 50, colour: '#ef6f6c' },
  { x: 402, y: 372, r: 40, colour: '#7aa6f7' },
  { x: 134, y: 384, r: 54, colour: '#b78cf2' },
] as const;
const [CENTRE, ...AROUND] = DISCS;

const lines = AROUND.map(({ x, y }) => `<path d="M${CENTRE.x} ${CENTRE.y}L${x} ${y}"/>`).join('');
const discs = DISCS.map(({ x, y, r, colour }) => `<circle cx="${x}" cy="${y}" r="${r}" fill="${colour}"/>`).join('');
const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" rx="112" fill="#1d2433"/><g stroke="#8792a8" stroke-width="18">${lines}<path d="M398 120L402 372"/></g>${discs}</svg>`;

const browser = await openBrowser();
try {
  const page = await browser.newPage();
  for (const size of ICONS) {
    await page.setViewport({ width: size, height: size });
    await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw}</style>${picture}`);
    await page.screenshot({ path: join(import.meta.dirname, `icon-${size}.png`), omitBackground: true });
  }
} finally {
  await browser.close();
}
