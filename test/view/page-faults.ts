// Finds what a reader would see as a fault of the page: text that is cut off or covered, and breaches of accessibility.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Runs in the page: names each text of which the reader sees only a part. */
const CUT_TEXT = `(() => {
  const styles = new Map();
  const styleOf = (element) => styles.get(element) ?? styles.set(element, getComputedStyle(element)).get(element);
  const above = (element) => (element === null ? [] : [element, ...above(element.parentElement)]);
  const isShortened = (element) =>
    above(element).some((one) => {
      const style = styleOf(one);
      const hasMore = one.closest('[title]') !== null || one.scrollWidth <= one.clientWidth;
      return (style.textOverflow === 'ellipsis' && hasMore) || style.webkitLineClamp !== 'none' || style.maskImage !== 'none';
    });
  const scrollerOf = (element) => above(element).find((one) => one !== document.body && /auto|scroll/.test(styleOf(one).overflow));
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.closest('.spoken, svg, select, math') === null;
  const faults = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const modal = document.querySelector('dialog[open], .with-menu .note-actions');
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.textContent.trim() === '' || element.closest('script, style') !== null || !isSeen(element)) continue;
    if (modal !== null && !modal.contains(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const frame = scrollerOf(element)?.getBoundingClientRect() ?? { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const isScrolled = scrollerOf(element) !== undefined;
    for (const box of range.getClientRects()) {
      if (box.width < 2) continue;
      const say = (what) => faults.push(what + ': ' + node.textContent.trim().slice(0, 60));
      const isOut = box.left < frame.left - 1 || box.top < frame.top - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1;
      if (isOut && isScrolled) continue;
      if (isOut && !isShortened(element)) { say('outside'); continue; }
      if (isShortened(element)) continue;
      const points = [0.02, 0.5, 0.98].map((share) => document.elementFromPoint(box.left + box.width * share, (box.top + box.bottom) / 2));
      const covered = points.filter((one) => one !== null && !one.contains(element) && !element.contains(one));
      if (covered.length > 0 && covered.length < points.length) say('partly under ' + (covered[0].id || covered[0].className || covered[0].tagName));
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than the window');
  return [...new Set(faults)];
})()`;

export const cutTexts = async (page: Page): Promise<string[]> => (await page.evaluate(CUT_TEXT)) as string[];

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** The rules of the checker that look at colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * What a checker of accessibility finds. The policy of the page must be bypassed, because it refuses scripts of others.
 * @param isOfColours by the rules that look at colours only
 */
export async function axeBreaches(page: Page, isOfColours = false): Promise<string[]> {
  const isThere = await page.evaluate(`typeof axe === 'object'`);
  const options = { resultTypes: ['violations'], ...(isOfColours && { runOnly: COLOUR_RULES }) };
  const run = `axe.run(document, ${JSON.stringify(options)})`;
  const { violations } = (await page.evaluate(isThere === true ? run : `${AXE}; ${run}`)) as AxeResult;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' ')}`);
}
