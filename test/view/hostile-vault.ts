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
  // Elements whose content is read in another way.
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp><noembed><img title="</noembed><img src=x onerror=alert(1)>"></noembed>',
  '<title><img title="</title><img src=x onerror=alert(1)>"></title><textarea><img title="</textarea><img src=x onerror=alert(1)>">',
  '<noframes><img title="</noframes><img src=x onerror=alert(1)>"></noframes><plaintext><img src=x onerror=alert(1)>',
  '<select><option><style></option></select><b><img src=x onerror=alert(1)></style></b></select>',
  // Comments and declarations that end early.
  '<!--><img src=x onerror=alert(1)>--> <!--!><img src=x onerror=alert(1)>--> <!-- --!><img src=x onerror=alert(1)> -->',
  '<![CDATA[ ]]><img src=x onerror=alert(1)> <?xml-stylesheet href="javascript:alert(1)"?> <!DOCTYPE x [<!ENTITY y "z">]>',
  '<!--[if gte IE 4]><script>alert(1)</script><![endif]--> <svg><![CDATA[><img src=x onerror=alert(1)>]]></svg>',
  // Addresses that are written so that a filter does not see their scheme.
  '<a href="java\u0000script:alert(1)">a</a><a href="\u0001javascript:alert(1)">b</a><a href="java\nscript:alert(1)">c</a>',
  '<a href="&#0000106avascript&colon;alert(1)">a</a><a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">b</a>',
  '<a href="\\\\evil.invalid/x">a</a><a href="/\\evil.invalid">b</a><a href="https:evil.invalid">c</a><a ping="https://evil.invalid" href="https://example.com">d</a>',
  '<svg><a xlink:href="javascript:alert(1)"><text y=9>x</text></a><image xlink:href="x" onerror=alert(1)></image><set attributeName=href to=javascript:alert(1)></svg>',
  '<img src=x srcset="https://evil.invalid/x.png 2x"><table background="https://evil.invalid/x.png"><tr><td background="https://evil.invalid">x</td></tr></table>',
  '<button formaction="javascript:alert(1)" popovertarget=panel>x</button><p is=x-y contenteditable autofocus onfocus=alert(1) tabindex=0 accesskey=x>y</p>',
  // Clobbering: names that take the place of what a script reads.
  '<form id=outer><input name=attributes><input name=parentNode><input name=nodeName></form><a id=panel name=stage href="https://example.com">x</a>',
  '<p id="notice" slot=x part=y exportparts=z class="card fault" style="position:fixed;inset:0">Log in again</p><dialog open>x</dialog>',
  // The marks of the reader itself.
  '[[x" onmouseover="alert(1)]] [[x|<img src=x onerror=alert(1)>]] ![[x" onerror="alert(1).png|<b onclick=alert(1)>]]',
  '[a](<javascript:alert(1)>) [b][c] <javascript:alert(1)> [d](vault:x "onclick=alert(1)")\n\n[c]: javascript:alert(1) "x"',
  '```js" onclick="alert(1)\n</code></pre><img src=x onerror=alert(1)>\n```\n\n~~~<img src=x onerror=alert(1)>\nx\n~~~',
  '<span data-box="x" data-slug="panel" data-jump="x" data-tag="<img src=x onerror=alert(1)>" data-language="js">x</span>',
  '<span data-tex="inline">\\text{<img src=x onerror=alert(1)>}</span> $\\text{</annotation></semantics></math><img src=x onerror=alert(1)>}$',
  '%%<img src=x onerror=alert(1)>%% ==<img src=x onerror=alert(1)>== #tag"onclick=alert(1) - [<] <img src=x onerror=alert(1)>',
  `${'<b>'.repeat(400)}<img src=x onerror=alert(1)>${'> '.repeat(60)}<img src=x onerror=alert(1)>`,
];
