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

/** Ways around a sanitizer: text that is harmless until it is parsed once more, and names that hide those of the page. */
export const TRICKS: readonly string[] = [
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<math><annotation-xml encoding="text/html"><style><img src=x onerror=alert(1)></style></annotation-xml></math>',
  '<a href="java&#x09;script:alert(1)">a</a><a href="&#x6A;avascript:alert(1)">b</a><a href=" javascript:alert(1)">c</a>',
  '<a href="vbscript:x">a</a><a href="file:///etc/passwd">b</a><a href="blob:null/x">c</a><a href="//evil.invalid">d</a>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s></svg><svg><use href="data:image/svg+xml,<svg/>"></use></svg>',
  '<details ontoggle=alert(1) open><summary>x</summary></details><input autofocus onfocus=alert(1)>',
  '<video><source onerror=alert(1) src=x></video><audio src=x onerror=alert(1)></audio><marquee onstart=alert(1)>x</marquee>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe><object data="javascript:alert(1)"></object><embed src="x.swf">',
  '<style>@import "https://evil.invalid/x.css"; #panel { display: none }</style><div style="background:url(https://evil.invalid)">x</div>',
  '<base href="https://evil.invalid/"><link rel=stylesheet href="https://evil.invalid"><meta http-equiv=refresh content="0;url=https://evil.invalid">',
  '<div id="spoken" class="card" name="panel">x</div><form name="body"><input name="getElementById"></form><a id=panel></a><img name=querySelector>',
  '<template><script>alert(1)</script></template><div><template shadowrootmode=open><img src=x onerror=alert(1)></template></div>',
  '<a data-link="javascript:alert(1)">a</a><span data-embed="javascript:alert(1)">b</span><span data-embed="https://evil.invalid/x.png">c</span>',
  '<span data-tex="block">\\href{javascript:alert(1)}{x} \\includegraphics{https://evil.invalid/x.png} \\htmlStyle{color:red}{x}</span>',
  '$\\href{javascript:alert(1)}{x}$ $\\def\\a{\\a\\a}\\a$ $\\htmlId{panel}{x}$ $\\color{url(https://evil.invalid)}x$ $\\url{javascript:alert(1)}$',
  '![x](javascript:alert(1)) [y](<java script:alert(1)>) ![z](data:text/html,<script>alert(1)</script>) ![[https://evil.invalid/x.png]]',
  '```"><img src=x onerror=alert(1)>\ncode <img src=x onerror=alert(1)>\n```',
  '> [!"><img src=x onerror=alert(1)>]- <img src=x onerror=alert(1)>\n> x',
  '[^"><img src=x onerror=alert(1)>]\n\n[^"><img src=x onerror=alert(1)>]: <img src=x onerror=alert(1)>',
  '## <img src=x onerror=alert(1)> ^"onclick=alert(1)',
  '| <img src=x onerror=alert(1)> |\n|:--"onclick=alert(1):|\n| x |',
];
