// Tests the graph beside an answer as applications show it: each tool, light and dark, at three sizes.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSession, type Session, temporaryFolder } from '../journeys/session.ts';
import { type AppUnderTest, SHOWS_APPS, type Showing, withAppHost } from './app-under-test.ts';
import { writeVault } from './app-vault.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** A folder that keeps the screenshots, to look at them. */
const KEPT = process.env.VAULTGRAPH_SCREENSHOTS;

const CALLS: Readonly<Record<string, { readonly args: object; readonly summary: RegExp }>> = {
  get_neighbors: {
    args: { note: 'Tides', depth: 2, limit: 40 },
    summary: /^Tides: \d+ linked notes {2}· {2}1 unresolved/,
  },
  get_communities: { args: {}, summary: /^3 clusters, each by its most central notes/ },
  find_path: { args: { from: 'Harbour', to: 'Recipe 7' }, summary: /links? between Harbour and Recipe 7/ },
  get_hubs: { args: { limit: 20 }, summary: /^\d+( of \d+)? hubs, sized by linking notes/ },
};

const SIZES = [
  { width: 1100, height: 620 },
  { width: 720, height: 560 },
  { width: 360, height: 560 },
] as const;

async function session(context: TestContext): Promise<Session> {
  const vault = temporaryFolder(context);
  writeVault(vault);
  const opened = await openSession(context, { vault, capabilities: SHOWS_APPS });
  await opened.indexed();
  return opened;
}

const ofTool = (tool: string, more: Partial<Showing> = {}): Showing => ({
  tool,
  args: CALLS[tool]?.args ?? {},
  ...more,
});

const DRAWN = `document.querySelectorAll('#stage canvas').length > 0`;

for (const [tool, { summary }] of Object.entries(CALLS)) {
  test(`${tool} is drawn in light and dark at three sizes, with nothing cut off`, async (context) => {
    await withAppHost(await session(context), async ({ show }) => {
      for (const theme of ['light', 'dark'] as const) {
        for (const size of SIZES) {
          await show(ofTool(tool, { theme, size }), async (app) => {
            await app.until(DRAWN);
            assert.match(await app.text('#summary'), summary);
            assert.equal(await app.frame.evaluate('document.documentElement.dataset.theme'), theme);
            assert.deepEqual([await cutOff(app), await breaches(app)], [[], []]);
            await settled(app);
            await keep(app, `${tool}-${theme}-${size.width}`);
          });
        }
      }
    });
  });
}

test('choosing a note shows what the answer says of it and reads it through the application', async (context) => {
  await withAppHost(await session(context), async ({ show }) => {
    await show(ofTool('get_neighbors', { offers: ['message', 'serverTools'] }), async (app) => {
      await choose(app, 'Harbour');
      await app.until(`/Boats wait/.test(document.querySelector('#card .text').textContent)`);
      assert.match(await app.text('#card .fact'), /^[←→] line \d+: /);
      await app.frame.click('#card .plain-button');
      await app.until(`document.querySelector('#card .plain-button').textContent === 'Asked in the chat'`);
      assert.deepEqual(await app.messages(), ['Read the note "Sea/Harbour.md".']);
      assert.deepEqual([await cutOff(app), await breaches(app)], [[], []]);
      await settled(app);
      await keep(app, 'card-light-720');
      await app.frame.focus('#close');
      await app.page.keyboard.press('Escape');
      await app.until(`document.querySelector('#card').hidden`);
    });
    await show(ofTool('get_hubs', { size: SIZES[2], theme: 'dark', offers: ['serverTools'] }), async (app) => {
      await choose(app, 'Tides');
      await app.until(`/moon/.test(document.querySelector('#card .text').textContent)`);
      assert.deepEqual([await cutOff(app), await breaches(app)], [[], []]);
      await settled(app);
      await keep(app, 'card-dark-360');
    });
    await show(ofTool('get_hubs'), async (app) => {
      await choose(app, 'Tides');
      assert.match(await app.text('#card'), /Ask the assistant to read this note/);
    });
  });
});

test('a click on a disc chooses its note, and the theme follows the application', async (context) => {
  await withAppHost(await session(context), async ({ show }) => {
    await show(ofTool('get_hubs'), async (app) => {
      await settled(app);
      const { width, height } = (await app.frame.evaluate('({ width: innerWidth, height: innerHeight })')) as Box;
      const points = Array.from({ length: 30 * 20 }, (_, at) => ({
        x: 20 + ((at % 30) * (width - 90)) / 30,
        y: 50 + (Math.floor(at / 30) * (height - 180)) / 20,
      }));
      for (const { x, y } of points) {
        await app.page.mouse.move(x, y);
        if ((await app.frame.evaluate(`document.querySelector('#stage').style.cursor`)) !== 'pointer') continue;
        await app.page.mouse.click(x, y);
        break;
      }
      await app.until(`!document.querySelector('#card').hidden`);
      assert.match(await app.text('#card .fact'), /^linking notes: \d+$/);
      await app.setTheme('dark');
      await app.until(`document.documentElement.dataset.theme === 'dark'`);
    });
  });
});

test('a failed call and an answer without notes are said in words', async (context) => {
  await withAppHost(await session(context), async ({ show }) => {
    await show({ tool: 'get_neighbors', args: { note: 'No such note' } }, async (app) => {
      assert.match(await app.text('#notice'), /No such note/);
      await keep(app, 'failed-light-720');
    });
    await show({ tool: 'find_path', args: { from: 'Harbour', to: 'Alone' } }, async (app) => {
      assert.match(await app.text('#summary'), /No path of links between Harbour and Alone/);
      await keep(app, 'no-path-light-720');
    });
    await show({ tool: 'get_hubs', args: { folder: 'Alone' } }, async (app) => {
      assert.match(await app.text('#notice'), /names no notes/);
    });
  });
});

interface Box {
  readonly width: number;
  readonly height: number;
}

async function choose({ frame, until }: AppUnderTest, title: string): Promise<void> {
  await frame.click('#list-button');
  await until(`!document.querySelector('#notes').hidden`);
  const entry = `[...document.querySelectorAll('#notes .entry')].find((one) => one.textContent === ${JSON.stringify(title)})`;
  await frame.evaluate(`${entry}.click()`);
  await until(`!document.querySelector('#card').hidden`);
}

/** Resolves when the camera and the frame have their size. */
const settled = async (app: AppUnderTest): Promise<void> =>
  void (await app.frame.evaluate('new Promise((done) => setTimeout(done, 500))'));

/** Runs in the app: names parts that are outside the window or overlap another. */
const CUT_OFF = `(() => {
  const boxOf = (selector) => document.querySelector(selector).getBoundingClientRect();
  const isShown = (selector) => boxOf(selector).width > 0 && boxOf(selector).height > 0;
  const isOutside = ({ left, top, right, bottom }) => left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
  const meet = (one, other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  const outside = ['#summary', '#legend', '#tools', '#card', '#notes'].filter(isShown).filter((one) => isOutside(boxOf(one)));
  const fixed = ['#summary', '#legend', '#tools'].filter(isShown);
  const overlapping = fixed.flatMap((one, at) => fixed.slice(at + 1).filter((other) => meet(boxOf(one), boxOf(other))));
  return [...outside.map((one) => one + ' is outside'), ...overlapping.map((one) => one + ' overlaps')];
})()`;

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Breaches that a checker of accessibility finds in the app. */
async function breaches({ frame }: AppUnderTest): Promise<string[]> {
  const source = `${readFileSync(AXE, 'utf8')}; axe.run(document, { resultTypes: ['violations'] })`;
  const { violations } = (await frame.evaluate(source)) as AxeResult;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`);
}

const cutOff = async ({ frame }: AppUnderTest): Promise<string[]> => (await frame.evaluate(CUT_OFF)) as string[];

async function keep({ page }: AppUnderTest, name: string): Promise<void> {
  if (KEPT === undefined) return;
  mkdirSync(KEPT, { recursive: true });
  await page.screenshot({ path: join(KEPT, `${name}.png`) as `${string}.png` });
}
