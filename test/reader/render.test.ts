// Tests how the Markdown of notes becomes HTML, and that no text takes longer than its length explains.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributeText, escapeHtml, type Outlet, slugOf } from '../../src/reader/outlet.ts';
import { createRenderer } from '../../src/reader/render.ts';
import { growsTooFast } from '../markdown/cpu-growth.ts';

const mark = (kind: string) => (text: string, more: unknown) => `{${kind} ${escapeHtml(text)} ${more}}`;
const attributes = (name: string) => (value: string) => ({ [name]: value });
const OUTLET: Outlet = {
  ...{ place: attributes('place'), jump: attributes('jump'), link: attributes('link') },
  ...{ web: attributes('web'), tag: attributes('tag') },
  ...{ embed: mark('embed'), math: mark('math'), code: mark('code') },
  ...{ checkbox: (sign) => `{box ${sign}}`, html: (text) => `{html ${escapeHtml(text)}}` },
};
const render = createRenderer(OUTLET);
const paragraph = (text: string): string =>
  render(text)
    .trim()
    .replace(/^<p>/, '')
    .replace(/<\/p>$/, '');

test('what Obsidian adds to Markdown, in a line', () => {
  const cases = {
    '[[Note]]': '<a link="Note">Note</a>',
    '[[Note#A part|shown]]': '<a link="Note#A part">shown</a>',
    '[[#A part]]': '<a jump="apart">A part</a>',
    '[md](A%20note.md#Part)': '<a link="A note.md#Part">md</a>',
    '[web](https://example.com "t")': '<a web="https://example.com" title="t">web</a>',
    'see https://example.com/x.': 'see <a web="https://example.com/x">https://example.com/x</a>.',
    '![[image.png|100]] ![alt](b%20c.png)': '{embed image.png 100} {embed b c.png alt}',
    '==marked== ~~struck~~': '<mark>marked</mark> <s>struck</s>',
    'a %%hidden%% b %%open': 'a  b %%open',
    'a #tag/sub b#c #1': 'a <a tag="#tag/sub">#tag/sub</a> b#c #1',
    '$x_1$ costs $5 or $6 and $ 7 $': '{math x_1 false} costs $5 or $6 and $ 7 $',
    '$$x$$ and \\$y$': '{math x true} and $y$',
    '`[[Note]] #tag $x$ %%c%%`': '<code>[[Note]] #tag $x$ %%c%%</code>',
    'one\ntwo': 'one<br>\ntwo',
    'a <b>c</b>': 'a {html &lt;b&gt;}c{html &lt;/b&gt;}',
    '[x](javascript:alert(1))': '[x](javascript:alert(1))',
    'text ^id': 'text',
  };
  for (const [text, html] of Object.entries(cases))
    assert.equal(paragraph(text).replace(/^<p place="\^id">/, ''), html);
});

test('blocks: properties, headings, callouts, tasks, formulas, comments, code, footnotes and tables', () => {
  const cases = {
    '---\na: 1\n---\ntext': '<p>text</p>\n',
    '---\n---\ntext': '<p>text</p>\n',
    '# A *b* ^id': '<h1 place="ab">A <em>b</em></h1>\n',
    'text\nmore ^Some-id': '<p place="^some-id">text<br>\nmore</p>\n',
    '> [!tip] Title\n> body': '<div data-callout="tip">\n<div data-title="">Title</div><p>body</p>\n</div>\n',
    '> [!NOTE|right]-': '<details data-callout="note">\n<summary data-title="">NOTE</summary></details>\n',
    '> [!bug]+ [[A]]':
      '<details data-callout="bug" open="">\n<summary data-title=""><a link="A">A</a></summary></details>\n',
    '> quote': '<blockquote>\n<p>quote</p>\n</blockquote>\n',
    '- [ ] a\n- [x] b': '<ul>\n<li data-task=" ">{box  }a</li>\n<li data-task="x">{box x}b</li>\n</ul>\n',
    '$$\na\nb\n$$': '{math a\nb true}',
    '$$\nnot closed': '<p>$$<br>\nnot closed</p>\n',
    '%%\nhidden\n%%\nshown': '<p>shown</p>\n',
    '%%\nhidden to the end': '',
    '```js\na < b\n```': '{code a &lt; b\n js}',
    '| a |\n|--:|\n| [[N\\|n]] |':
      '<table>\n<thead>\n<tr>\n<th align="right">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align="right"><a link="N">n</a></td>\n</tr>\n</tbody>\n</table>\n',
  };
  for (const [text, html] of Object.entries(cases)) assert.equal(render(text), html);
  assert.match(render('a[^1]\n\n[^1]: b'), /jump="footnote-1">1<\/a><\/sup>.*<li place="footnote-1"><p>b/s);
});

test('a heading and the links to it have the same slug', () => {
  assert.deepEqual(['A: b (c)', 'Note#A b c', '#A b c', 'a-b-c'].map(slugOf), Array(4).fill('abc'));
  assert.deepEqual(['#^Block-1', '#Ünï 日本', '!?'].map(slugOf), ['^block-1', 'ünï日本', '']);
});

test('attributes and text cannot end their place', () => {
  assert.equal(attributeText({ a: '"><script>&' }), ' a="&quot;&gt;&lt;script&gt;&amp;"');
  assert.equal(paragraph('[[a"b<c]]'), '<a link="a&quot;b&lt;c">a&quot;b&lt;c</a>');
});

/** Each repeats something that could make each of its parts search all others. */
const REPEATED = [
  '[[',
  '![[',
  '$a ',
  '$$\n',
  '%% ',
  '> [!a]\n> b\n\n',
  '#a ',
  '==a ',
  '[^1] ',
  '^[',
  '- ',
  '<',
  '*a_',
  '`',
  '|a',
];

test('eight times the text takes far less than 64 times as long', () => {
  const slow = REPEATED.filter((part) =>
    growsTooFast(
      () => render(part.repeat(2_000)),
      () => render(part.repeat(16_000)),
      { noiseMs: 80, maxGrowth: 32 },
    ),
  );
  assert.deepEqual(slow, []);
});
