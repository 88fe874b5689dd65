// A vault with every kind of content that the reader shows.
import type { Files } from './page-under-test.ts';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><script>alert(1)</script><rect width="60" height="40" fill="#2f9e5f"/></svg>';

const ESSAY = `---
title: Essay
author: "[[Keeper]]"
rating: 4
tags: [reading]
sources: [one, two]
---
# Essay

An introduction with **strong**, *emphasis*, ~~struck~~ and ==highlighted== words, \`code\`, %%a comment%%
a second line, a tag #topic/sea and a formula $e^{i\\pi} = -1$ that costs $5 or $6.

## Lists and tasks

1. first
2. second
   - nested
   - [ ] open task
   - [x] finished task
   - [-] cancelled task

## A table

| Name | Amount | Link |
|:-----|-------:|:----:|
| Tide | 12 | [[Tide\\|the tide]] |
| Moon | 3 | [[Moon#Phases]] |

> [!warning] Look out
> A callout with a [[Tide]] link.

> [!tip]- Folded
> Hidden until opened.

> An ordinary quote.

$$
\\int_0^1 x^2 \\, dx = \\frac{1}{3}
$$

\`\`\`js
const tide = (hours) => Math.sin(hours / 12.42); // a comment
\`\`\`

## Embeds

![[sea.svg|60]] ![[Moon#Phases]] ![[Moon#^pull]] ![[Moon#^days]] ![[log.pdf]] ![[Missing picture.png]]

A footnote[^1], a [link to the web](https://example.com/page), <https://example.org> and [[Nobody]].
Raw <b>bold</b><br>and <kbd>Ctrl</kbd>. To [[#A table]].

[^1]: The text of the footnote.
`;

export const READING_VAULT: Files = {
  'Essay.md': ESSAY,
  'Tide.md': 'The tide follows the [[Moon]].\n\n![[Essay]]\n',
  'Moon.md':
    '# Moon\n\nBefore.\n\n## Phases\n\nNew and full. [[Tide]] ![[Tide]]\n\n## Other\n\nNot embedded.\n\nThe moon pulls. ^pull\n\n| Day | Moon |\n|---|---|\n| 15 | full |\n\n^days\n',
  'Keeper.md': 'Keeps the light.\n',
  'sea.svg': SVG,
  'log.pdf': '%PDF-1.4 a log',
  'notes.exe': 'MZ',
};
