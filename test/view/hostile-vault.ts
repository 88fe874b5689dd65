// A vault whose titles, texts, tags and links try to inject code into the page.
import type { Files } from './page-under-test.ts';

export const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(2)</script>',
  "'-alert(3)-'",
  `$\{alert(4)}`,
  '</script><script>alert(5)</script>',
  '&lt;b&gt; &amp; <b>bold</b>',
];

/** Names that every file system accepts; each is also an alias and a heading. */
export const HOSTILE_VAULT: Files = Object.fromEntries(
  HOSTILE.map((words, at) => [
    `n${at}.md`,
    [
      `---\ntitle: ${JSON.stringify(words)}\naliases: [${JSON.stringify(words)}]\ntags: ["x${words.replaceAll(/\s/g, '')}"]\n---`,
      `# ${words}\n\n${words} [[n${(at + 1) % HOSTILE.length}|${words}]] [[${words.replaceAll(/[[\]|#^]/g, '')}]]`,
      `[click](javascript:alert(6)) ![](https://evil.invalid/x.png) <https://evil.invalid/>`,
      `[a](data:text/html,<script>alert(7)</script>) <iframe src="https://evil.invalid"></iframe>`,
      `> ${words}\n\n- ${words}\n\n\`${words}\`\n\n\`\`\`\n${words}\n\`\`\``,
    ].join('\n'),
  ]),
);
