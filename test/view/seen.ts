// Finds the discs of notes in a screenshot of the page.
import type { Page } from 'puppeteer-core';

export interface Spot {
  readonly x: number;
  readonly y: number;
}

/** The area between the panels. */
const CLIP = { x: 380, y: 20, width: 720, height: 760 };

/** Runs in the page, which may load data URLs: finds squares of one strong colour, some pixels apart. */
const LOOK = `async (data) => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + data;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const { data: parts, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
  const at = (x, y) => [...parts.slice((y * width + x) * 4, (y * width + x) * 4 + 3)];
  const isStrong = (colour) => Math.max(...colour) - Math.min(...colour) > 40;
  const spots = [];
  for (let y = 2; y < height - 2; y++)
    for (let x = 2; x < width - 2; x++) {
      const colour = at(x, y);
      if (!isStrong(colour)) continue;
      const around = [[-2, 0], [2, 0], [0, -2], [0, 2]].map(([dx, dy]) => at(x + dx, y + dy));
      const isFilled = around.every((other) => other.every((part, place) => Math.abs(part - colour[place]) < 12));
      if (isFilled && spots.every((spot) => Math.hypot(spot.x - x, spot.y - y) > 8)) spots.push({ x, y });
    }
  return spots;
}`;

/** Positions in window pixels. */
export async function discsSeen(page: Page): Promise<Spot[]> {
  const data = await page.screenshot({ encoding: 'base64', clip: CLIP });
  const spots = (await page.evaluate(`(${LOOK})(${JSON.stringify(data)})`)) as Spot[];
  return spots.map(({ x, y }) => ({ x: x + CLIP.x, y: y + CLIP.y }));
}

/** Runs in the page: what the text of a note must never contain. */
const UNSAFE = `() => {
  const forbidden = 'iframe, object, embed, form, style, script, link, meta, base, svg, video, audio, textarea, select, template';
  const all = [...document.querySelectorAll('#panel .note-body *, #results *, #list *, #changes-days *')];
  const isOurs = (address) => /^(?:https?:|mailto:|obsidian:|file\\/)/.test(address);
  return all.flatMap((element) => {
    const names = element.getAttributeNames();
    const [href, src] = [element.getAttribute('href'), element.getAttribute('src')];
    const isUnsafe =
      element.matches(forbidden) ||
      names.some((name) => name.startsWith('on') || name === 'style' || name === 'srcdoc') ||
      (element.matches('.note-body *') && element.id !== '') ||
      (href !== null && !isOurs(href)) ||
      (src !== null && !/^(?:file\\/|data:image\\/)/.test(src));
    return isUnsafe ? [element.outerHTML.slice(0, 200)] : [];
  });
}`;

/** The HTML of each element of a shown note, or of a list of notes, that could run, load or pretend something. */
export async function unsafeParts(page: Page): Promise<string[]> {
  return (await page.evaluate(`(${UNSAFE})()`)) as string[];
}
