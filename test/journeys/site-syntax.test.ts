// What other systems add to Markdown, over stdio: anchors, included files, published folders, regions without Markdown, indented blocks and days; and moves of what they name.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { configFile, openSession, temporaryFolder } from './session.ts';

interface Example {
  readonly files: Readonly<Record<string, string>>;
  /** Every gap of the vault. */
  readonly gaps: readonly string[];
  readonly tags: readonly string[];
  readonly tasks: readonly string[];
  /** Notes and attachments to move, then what files hold after it. */
  readonly moves: readonly (readonly [from: string, to: string])[];
  readonly after: Readonly<Record<string, readonly string[]>>;
}

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const SYSTEMS: Readonly<Record<string, Example>> = {
  mkdocs: {
    files: {
      'mkdocs.yml': '',
      'docs/index.md': `# Start

!!! note "With [title](guide.md)"

    - [ ] inside
        - [x] deeper

    ??? tip

        Nested [link](gap-in-note.md) and [good](guide.md)

=== "Tab"

    \`\`\`py
    # [x](in-code.md)
    \`\`\`

    After code [t](gap-in-tab.md)

    [code]: not-code.md

Not indented

    [in](code.md)

--8<-- "parts/shared.md"
;--8<-- "parts/never.md"
![pic](a.png){ width="300" #fig } [fig](#fig) [own](){#own} [o](#own) \`{#no}\` {title="a #b"}
<a id="raw"></a> [r](#raw) [root](/guide.md) {% include "parts/shared.md" %}

## C++ & *Java*
[s](#c-java) [again](#start_1)

# Start
`,
      'docs/lines.md': `--8<--
parts/shared.md:2:3
; parts/off.md
gap-in-lines.md
https://tides.example/x.md
--8<--\n`,
      'docs/a.png': '',
      'docs/guide.md': '# Guide\n',
      'docs/part/index.md': '---  \ntags: [dotted]\n...\n[below](install/set.md) [beside](same.md)\n',
      'docs/part/install/set.md': 'x\n',
      'docs/install/set.md': 'x\n',
      'docs/part/same.md': 'x\n',
      'same.md': 'x\n',
      'parts/shared.md': 'shared\n',
    },
    gaps: ['gap-in-lines.md', 'gap-in-note.md', 'gap-in-tab.md'],
    tags: ['#dotted'],
    tasks: ['inside', 'deeper'],
    moves: [
      ['docs/part/install/set.md', 'docs/part/install/put.md'],
      ['docs/part/same.md', 'docs/part/other-one.md'],
      ['docs/guide.md', 'docs/sub/other.md'],
      ['parts/shared.md', 'parts/common.md'],
    ],
    after: {
      'docs/index.md': [
        '(/sub/other.md)',
        '"With [title](sub/other.md)"',
        '\n--8<-- "parts/common.md"\n',
        '{% include "parts/common.md" %}',
      ],
      'docs/lines.md': ['--8<--\nparts/common.md:2:3\n; parts/off.md\n'],
      'docs/part/index.md': ['[below](install/put.md) [beside](other-one.md)'],
    },
  },
  quarto: {
    files: {
      '_quarto.yml': '',
      'index.qmd': `## Part {#sec-part .x}

{{< include _shared.qmd >}} {{{< include no.qmd >}}}

::: {.callout-note #nte-a title="T"}
[x](#sec-part) #real
:::

\`\`\`{python}
#| echo: false
#| label: fig-plot
\`\`\`

\`\`\`{#lst-x .python}
\`\`\`

$$ x $$ {#eq-x}

[a](#nte-a) [b](#fig-plot) [c](#lst-x) [d](#eq-x) [e](#gap) [f]{#span} [g](#span)

## 2. Set-up v1.2
[h](#set-up-v1.2)
`,
      '_shared.qmd': 'shared\n',
    },
    gaps: ['index#gap'],
    tags: ['#real'],
    tasks: [],
    moves: [['_shared.qmd', 'sub/_with blank.qmd']],
    after: { 'index.qmd': ['{{< include "sub/_with blank.qmd" >}} {{{< include no.qmd >}}}'] },
  },
  docusaurus: {
    files: {
      'docusaurus.config.js': '',
      'docs/a.mdx': `# A {/* #top */}

![s](/img/b.png) ![t](@site/static/img/b.png) [root](/c.md) [site](@site/docs/c.md) {/* [x](in-comment.md) */}

{/*
# not a heading
[y](in-comment.md) * star
*/}

[z](gap.md) [up](#top) [emoji](#-rocket)

export const shown = '[[no]] #no';

<Box title="#no [[no]]" of={[1]}>

[k](/blog/welcome) #yes {'[[no]]'}

</Box>

## 🚀 Rocket
`,
      'blog/2024-01-15-hello/index.md': '---\nslug: welcome\n---\nx\n',
      'docs/c.md': '# C\n',
      'static/img/b.png': '',
    },
    gaps: ['gap.md'],
    tags: ['#yes'],
    tasks: [],
    moves: [
      ['static/img/b.png', 'static/img/New/B 2.png'],
      ['docs/c.md', 'docs/sub/d.md'],
    ],
    after: { 'docs/a.mdx': ['![s](/img/New/B%202.png)', '[root](/sub/d.md)'] },
  },
  hugo: {
    files: {
      'hugo.toml': '',
      'content/posts/a.md': `---
title: A
---
{{< highlight go >}}
# not a heading
[[x]] [a](in-code.md) #no
{{< /highlight >}}
{{% comment %}}[b](in-comment.md){{% /comment %}} [c](gap.md) {{< mermaid >}}[d](in-chart.md){{< /mermaid >}}

![e](/Img/B.png) {{< readfile "shared.md" >}} {{</* ref "no.md" */>}}
Para
{#para}

[f](#para) [g]({{< ref lang="fr" path="posts/b.md" outputFormat=html >}})
`,
      'content/posts/b.md': '+++ \ntags = ["long"]\nsize = 9223372036854775807\n+++\n[z](@/posts/a.md#para)\n',
      'content/en/p/x.md': 'x\n',
      'content/fr/p/x.md': 'x\n',
      'content/fr/_index.md': '[x](p/x.md)\n',
      'content/shared.md': 'shared\n',
      'static/Img/B.png': '',
    },
    gaps: ['gap.md'],
    tags: ['#long'],
    tasks: [],
    moves: [
      ['static/Img/B.png', 'static/Img/C.png'],
      ['content/posts/b.md', 'content/posts/c.md'],
      ['content/fr/p/x.md', 'content/fr/p/y.md'],
    ],
    after: {
      'content/posts/a.md': ['![e](/Img/C.png)', '[g]({{< ref lang="fr" path="posts/c.md" outputFormat=html >}})'],
      'content/fr/_index.md': ['[x](p/y.md)'],
    },
  },
  jekyll: {
    files: {
      '_config.yml': '',
      '_posts/2020-01-02-a.md': `# Head
{: #head .x}

{% highlight ruby %}
# not a heading
[[no]]
{% endhighlight %}

{% comment %}[a](in-comment.md){% endcomment %} {% raw %}{% post_url no %}{% endraw %} [b](gap.md)
[c]({{ "/about/" | relative_url }}) [d]({{ site.baseurl }}/about/) [e]({{site.url}}{{site.baseurl}}/about/#x) [f](#head)

{% include_relative part.md %}
![g]({{ '/assets/a.png' | absolute_url }})
{% post_link b %} {% post_link "b" "With #text" %} {% post_path b %} {# [no](in-nunjucks.md) #no #} {% tabs "A #no" %}
{% codeblock lang:js %}
[[no]]
{% endcodeblock %}

{#
[[no]]
#}

[[toc]]
`,
      '_posts/b.md': 'b\n',
      '_posts/2020-01-03-d.md': '--- \ncategories: [Dev, web]\ntags: [dotted]\n...\n[x](/dev/web/2020/01/03/d.html)\n',
      '_posts/part.md': 'part\n',
      'about.md': '# About\n<div id="x"></div>\n',
      'assets/a.png': '',
    },
    gaps: ['gap.md'],
    tags: ['#dotted'],
    tasks: [],
    moves: [
      ['about.md', 'info.md'],
      ['assets/a.png', 'assets/b.png'],
      ['_posts/b.md', '_posts/c.md'],
    ],
    after: {
      '_posts/2020-01-02-a.md': [
        '[c]({{ "/info/" | relative_url }})',
        '[d]({{ site.baseurl }}/info/)',
        '[e]({{site.url}}{{site.baseurl}}/info/#x)',
        "![g]({{ '/assets/b.png' | absolute_url }})",
        '{% post_link c %} {% post_link "c" "With #text" %} {% post_path c %} {# [no](in-nunjucks.md)',
      ],
    },
  },
  markdown: {
    files: {
      'book.toml': '',
      'src/a.md': `# A {#top}
{{#include ../parts/x.md:anchor}} \\{{#include no.md}}
[a](#top) [b](./b.html#what-is-it) [c](/b) [d](ch/) ![e](/p.png){ width=3 #pic } [f](#pic) [g](gap.md)
<!--@include: ../parts/x.md{3,}-->
| cell | <!-- @include: @/b.md#part --> |
<!-- no [[link]] -->

[[toc]]

{% hint style="info #no" %} [{{ title }}](gap-by-code.md) {{ '#no [[no]]' }} inline [[toc]]
`,
      'src/b.md': '## What is it?\n',
      'src/ch/README.md': '# Ch\n',
      'src/p.png': '',
      'parts/x.md': 'x\n',
    },
    gaps: ['gap-by-code.md', 'gap.md', 'toc'],
    tags: [],
    tasks: [],
    moves: [
      ['src/b.md', 'src/sub/c.md'],
      ['parts/x.md', 'parts/y.md'],
    ],
    after: {
      'src/a.md': [
        '{{#include ../parts/y.md:anchor}}',
        '[b](./sub/c.html#what-is-it) [c](/sub/c)',
        '<!--@include: ../parts/y.md{3,}-->',
        '<!-- @include: @/sub/c.md#part -->',
      ],
    },
  },
  dendron: {
    files: {
      'dendron.yml': '',
      'a.md': `[[A label|proj.alpha]] [[proj.alpha#^b]] ![[proj.alpha#one:#two]] [[other vault|dendron://vault/proj.alpha#two-words]] [[dendron://vault/proj.alpha]]
| [[In table\\|proj.alpha]] | x |
[[Gap label|proj.gap]] ![[proj.alpha#one,1:#*]]
`,
      'proj.alpha.md': '# One\n\ntext ^b\n\n## Two words\n',
    },
    gaps: ['proj.gap'],
    tags: [],
    tasks: [],
    moves: [['proj.alpha.md', 'proj.beta.md']],
    after: {
      'a.md': [
        '[[A label|proj.beta]] [[proj.beta#^b]] ![[proj.beta#one:#two]] [[other vault|dendron://vault/proj.beta#two-words]] [[dendron://vault/proj.beta]]',
        '[[In table\\|proj.beta]]',
        '![[proj.beta#one,1:#*]]',
      ],
    },
  },
  wiki: {
    files: {
      'Home.md': `[[Two words]] [[shown|Two words#Ebb]] [md](Two-words) [[img/a.png|alt=A|width=3px]]
[[_TOC_]] [[web|https://tides.example]] [[shown|gap here]] | [[other\\|Two words]] |
`,
      '_Footer.md': '[[two-words]]\n',
      'Two-words.md': '# Ebb\n[[start|Home]]\n',
      'img/a.png': '',
    },
    gaps: ['gap here'],
    tags: [],
    tasks: [],
    moves: [
      ['Two-words.md', 'deep/Three-words.md'],
      ['img/a.png', 'img/b.png'],
    ],
    after: {
      'Home.md': [
        '[[Three-words]] [[shown|Three-words#Ebb]] [md](deep/Three-words) [[img/b.png|alt=A|width=3px]]',
        '[[other\\|Three-words]]',
      ],
    },
  },
  roam: {
    files: {
      'January 1st, 2021.md': `- {{[[TODO]]}} call [[Ada]] #[[two words]] ((AbCd_12-9))
    - {{DONE}} nested
- [her]([[Ada]]) [*](((AbCd_12-9))) {{[[query]]: {and: [[TODO]] [[gap]]}}} #tag
`,
      'January 2nd, 2021.md': '- Keeper:: [[Ada]]\n',
      'sub/March 13th, 2021.md': '- x\n',
      'Ada.md': '- x\n',
      'two words.md': '- x\n',
    },
    gaps: ['gap'],
    tags: ['#tag'],
    tasks: ['call [[Ada]] #[[two words]] ((AbCd_12-9))', 'nested'],
    moves: [['Ada.md', 'Ada Finch.md']],
    after: {
      'January 1st, 2021.md': ['call [[Ada Finch]] #[[two words]]', '[her]([[Ada Finch]])'],
      'January 2nd, 2021.md': ['- Keeper:: [[Ada Finch]]'],
    },
  },
  logseq: {
    files: {
      'logseq/config.edn': '',
      'journals/2024-03-05.md': `- TODO [#A] write
  SCHEDULED: <2024-03-06 Wed>
  DEADLINE: <2024-03-08 Fri .+1w>
- #+BEGIN_SRC js
  [[no]] #no
  #+END_SRC
- [[Tue, 05-03-2024]] [[Mar 5th, 2024]] [[5th March 2024]] [[2024年03月05日]] [[03/05/2024]] [[Tuesday, 05.03.2024]] [[2024-03-05 Tuesday]] [[20240305]]
- [[03-05-2024]] [[Wed, 06-03-2024]]
`,
      'pages/a.md': 'alias:: one, "Ebb, and flow" , [[two]]\n\n- [[Ebb, and flow]] [[one]] [["Ebb]]\n',
    },
    gaps: ['"Ebb', '03-05-2024', 'Wed, 06-03-2024'],
    tags: [],
    tasks: ['[#A] write 2024-03-08 2024-03-06 high'],
    moves: [],
    after: {},
  },
  zettelkasten: {
    files: {
      '.ztr-directory': '{}',
      'a.md': '[[202001011205]] [[202001011206]] [[20200101120702b]] [[20200101120702]] [[202001011209]]\n',
      'End 202001011205.md': 'x\n',
      'front.md': '---\nid: 202001011206\n---\nx\n',
      '20200101120702b Two.md': 'x\n',
    },
    gaps: ['20200101120702', '202001011209'],
    tags: [],
    tasks: [],
    moves: [
      ['202001011205', 'sub/Last 202001011205.md'],
      ['202001011206', 'sub/other.md'],
      ['20200101120702b', '20200101120702b Three.md'],
    ],
    after: { 'a.md': ['[[202001011205]] [[202001011206]] [[20200101120702b]] [[20200101120702]]'] },
  },
};

for (const [system, { files, gaps, tags, tasks, moves, after }] of Object.entries(SYSTEMS))
  test(`what ${system} adds is read, and followed by moves`, async (context) => {
    const vault = temporaryFolder(context);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(vault, path)), { recursive: true });
      writeFileSync(join(vault, path), path.endsWith('.png') ? PICTURE : text);
    }
    const session = await openSession(context, {
      config: configFile(context, `vault: { path: ${vault}, access: read-write }\n`),
    });
    await session.indexed();
    const dataOf = async (tool: string, given: Record<string, unknown>) => {
      const { structured, isError, text } = await session.call(tool, given);
      assert.equal(isError, false, text);
      return structured.data;
    };
    const gapNames = async () =>
      (await dataOf('find_gaps', { kind: 'unresolved', limit: 50, require_fresh: true })).gaps
        .map(({ name }: { name: string }) => name)
        .sort();
    assert.equal((await dataOf('status', {})).vault.dialect, system);
    assert.deepEqual(await gapNames(), [...gaps].sort());
    const listed = await dataOf('list_tags', {});
    assert.deepEqual(
      listed.tags.map((tag: string) => tag.split(' ')[0]),
      tags,
    );
    const shown = await dataOf('list_tasks', { status: 'any', detail: 'full' });
    const asText = ({ text, due = '', scheduled = '', priority = '' }: Record<string, string>): string =>
      [text, due, scheduled, priority].join(' ').trim();
    assert.deepEqual(shown.tasks.map(asText).sort(), [...tasks].sort());
    for (const [note, to] of moves) {
      const moved = await dataOf('move_note', { note, to, confirm: true });
      assert.equal(moved.path, to);
    }
    for (const [path, parts] of Object.entries(after))
      for (const part of parts)
        assert.ok(
          readFileSync(join(vault, path), 'utf8').includes(part),
          `${part}\n${readFileSync(join(vault, path), 'utf8')}`,
        );
    assert.deepEqual(await gapNames(), [...gaps].sort());
  });

test('a move names the links by an address that the page does not keep', async (context) => {
  const vault = temporaryFolder(context);
  const links = '[a](/docs/a/uno) [b](./a/uno) [c](a/one.md) [d](uno)\n[e](/docs/fixed)\n[f](/docs/a/uno)\n';
  const files = {
    'docusaurus.config.js': '',
    'docs/a/one.md': '---\nslug: uno\n---\n# One\n',
    'docs/a/two.md': '---\nslug: /fixed\n---\n# Two\n',
    'docs/b.md': links,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  const session = await openSession(context, {
    config: configFile(context, `vault: { path: ${vault}, access: read-write }\n`),
  });
  await session.indexed();
  const move = { note: 'docs/a/one.md', to: 'docs/z/one.md', confirm: true };
  const refused = await session.call('move_note', move);
  assert.match(refused.text, /LINK_INTEGRITY\]: 3 links .*docs\/b\.md:1/);
  assert.equal(readFileSync(join(vault, 'docs/b.md'), 'utf8'), links);
  const moved = await session.call('move_note', { ...move, allow_broken: true });
  assert.equal(moved.isError, false, moved.text);
  const two = await session.call('move_note', { note: 'docs/a/two.md', to: 'docs/z/two.md', confirm: true });
  assert.equal(two.isError, false, two.text);
  assert.equal(readFileSync(join(vault, 'docs/b.md'), 'utf8'), links.replace('a/one.md', 'z/one.md'));
});

test('in a vault of Obsidian all of it is text', async (context) => {
  const vault = temporaryFolder(context);
  mkdirSync(join(vault, '.obsidian'));
  writeFileSync(join(vault, '.obsidian/app.json'), '{}');
  writeFileSync(
    join(vault, 'a.md'),
    '![p](a.md){ #tag } <a id="x"></a> [x](#x)\n\n!!! note\n\n    [in](code.md)\n\n{% comment %}\n[gap](gap.md)\n',
  );
  const session = await openSession(context, { vault });
  await session.indexed();
  const { structured } = await session.call('find_gaps', { kind: 'unresolved' });
  assert.deepEqual(structured.data.gaps.map(({ name }: { name: string }) => name).sort(), ['a#x', 'gap.md']);
  assert.match((await session.call('list_tags', {})).text, /#tag/);
});
