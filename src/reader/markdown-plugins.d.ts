// The types of Markdown plugins that come without any.
declare module 'markdown-it-footnote' {
  import type { MarkdownIt } from 'markdown-it';
  export default function footnotes(markdown: MarkdownIt): void;
}

declare module 'markdown-it-mark' {
  import type { MarkdownIt } from 'markdown-it';
  export default function highlights(markdown: MarkdownIt): void;
}
