/**
 * Text as attackers and keyboards around the world produce it: SQL injection, markup, control characters, long and unusual Unicode. All of it can be
 * stored, and must be returned unchanged.
 */

const injections = [
  "'",
  "''",
  '"',
  "\\",
  "\\'",
  ";",
  "--",
  "/*",
  "*/",
  "#",
  "%",
  "_",
  "$1",
  "$$",
  "$tag$ $tag$",
  "? ?",
  ":name",
  "' OR '1'='1",
  "' OR 1=1 --",
  '" OR ""="',
  "1; DROP TABLE site",
  "'; DROP TABLE charger; --",
  "'); DELETE FROM token; --",
  "' UNION SELECT verifier::text FROM api_key --",
  "1' AND (SELECT pg_sleep(10)) IS NULL --",
  "x'; COMMIT; DROP SCHEMA public CASCADE; --",
  "E'\\x27'",
  "U&'\\0027'",
  "\\x00",
  "%00",
  "\\u0000",
  "{1,2}",
  '{"a": null}',
  "[]",
  "(1, 2)",
  "NULL",
  "null",
  "undefined",
  "NaN",
  "DEFAULT",
  "now()",
  "ORDER BY 1",
  "LIMIT 0"
]

const others = [
  "<script>alert(1)</script>",
  "${7*7}",
  "{{7*7}}",
  "../../etc/passwd",
  "\r\nSet-Cookie: a=b",
  "\u001b[31mred",
  "\u0001\u0002\u0007\u007f",
  "\t tab \u000b\u000c",
  " leading and trailing ",
  "İıſK",
  "ﬀ ﬃ",
  "e\u0301 é",
  "日本語",
  "العربية",
  "\u202eright to left",
  "\ufeffbom",
  "\ufffd",
  "\uffff",
  "👩‍👩‍👧‍👦",
  "𝕏".repeat(10),
  "a".repeat(1000)
]

const wrappers: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) => `Lelystad ${text}`,
  (text) => `${text} 12`,
  (text) => `'${text}'`,
  (text) => `"${text}`,
  (text) => `(${text}) --`,
  (text) => `${text}\n${text}`,
  (text) => `\\${text}\\`
]

const plain = [...injections, ...others]

/** Each text in each of the surroundings, over 500, the same in every run: for tests about such texts. */
export const everyNastyText: ReadonlyArray<string> = wrappers.flatMap((wrap) => plain.map(wrap))

/**
 * Each text as it is and within one of the other surroundings in turn: for the contracts of storage, of which there are many. With `PROPERTY=full`,
 * all combinations.
 */
export const nastyTexts: ReadonlyArray<string> =
  process.env["PROPERTY"] === "full"
    ? everyNastyText
    : [...plain, ...plain.map((text, n) => wrappers[1 + (n % (wrappers.length - 1))]!(text))]

/** Text that PostgreSQL cannot store unchanged. */
export const unstorableTexts: ReadonlyArray<string> = ["\0", "a\0b", "half \ud83d", "\udc00 half"]
