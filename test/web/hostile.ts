import type { Page } from 'playwright-core';
import { tooWideOn } from './accessibility.ts';

/**
 * Texts that could do harm as markup, as a pattern, as a placeholder of a message, or because of their direction or
 * width.
 */
export const hostileTexts: readonly string[] = [
  '<img src=x onerror="window.harmed = true">',
  '"><script>window.harmed = true</script>',
  '</textarea><svg onload=window.harmed=true>',
  '</title></style><script>window.harmed = true</script>',
  '<iframe srcdoc="<script>parent.harmed = true</script>"></iframe>',
  '<a href="javascript:window.harmed=true">a link</a>',
  '<style>main { display: none }</style><base href="https://evil.example">',
  '<!-- --><![CDATA[ a comment ]]>',
  `' onmouseover="window.harmed=true" x='`,
  'javascript:window.harmed=true',
  'data:text/html,<script>window.harmed=true</script>',
  '{harmed, plural, one {x} other {y}} {0} %s # {',
  `{{constructor.constructor("window.harmed=true")()}} \${window.harmed=true} <%= 1 %>`,
  '&lt;b&gt; &amp;amp; &#60; &#x202e;',
  '\u202emirrored\u202c and \u2066isolated',
  `${'\u202e'.repeat(50)}overridden and not ended`,
  '\u2069\u2069\u2069\u202ewhat is around it is ended first',
  '\u2067\u202btwo that are not ended',
  'مرحبا <b>hello</b> שלום',
  'مرحبا (hello) [1] \u200f!? - 100%',
  `Z${'\u0300'.repeat(200)}algo`,
  '\u0301\u20dd\u20e3begins with marks',
  '\u200b\u200d\ufeff👩‍👩‍👧‍👦'.repeat(20),
  'one\r\ntwo\r\n\r\nthree\tfour',
  'one\u2028two\u2029three\u0085four\u{e0041}\uffff.',
  '=HYPERLINK("https://evil.example";"x")',
  '../../etc/passwd%00%2e%2e\\..\\',
  `%_\\'; drop table translation_jobs; --`,
  'constructor __proto__ toString undefined null NaN',
  // 50,000 characters without a space.
  'W'.repeat(50_000),
];

/** All texts in one text, which is short enough for the service. */
export const allHostile = hostileTexts.map((text) => text.slice(0, 300)).join(' ');

/**
 * The code units that the service rejects because the database cannot store them: NUL, and half of a surrogate pair.
 */
export const refusedUnits = [0x0, 0xd83d];

/** The widths of a wide and a narrow window. */
const bothWidths = [1280, 320];

/**
 * Checks a screen with an English interface; by default in a wide and in a narrow window.
 * @param texts each must be the complete text of an element, or the value of a field
 * @returns the effects of texts that are not shown as plain text
 */
export async function harmOn(
  page: Page,
  texts: readonly string[] = [],
  widths = bothWidths,
): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 700 });
    for (const fault of await tooWideOn(page)) found.push(`${width} px: ${fault}`);
    for (const fault of await page.evaluate(reversedWords)) found.push(`${width} px: ${fault}`);
  }
  return [
    ...found,
    ...(await page.evaluate(madeOfTexts)),
    ...(await page.evaluate(missingTexts, [...texts])),
  ];
}

/** Scripts that ran, and elements and attributes that do not belong to the application. Runs in the page. */
function madeOfTexts(): string[] {
  const found = 'harmed' in window ? ['a script ran'] : [];
  const foreign =
    'body script, img, iframe, object, embed, base, body style, svg[onload], a[href^="javascript:"]';
  for (const element of document.querySelectorAll(foreign))
    if (!element.matches('body > script[type=module]'))
      found.push(`there is ${element.outerHTML.slice(0, 200)}`);
  // A character in a text can end the isolation of its direction, but not that of its box.
  for (const element of document.querySelectorAll('bdi, span[dir]'))
    if (element.checkVisibility() && getComputedStyle(element).display === 'inline')
      found.push(`not in a box of its own: ${element.outerHTML.slice(0, 200)}`);
  for (const element of document.querySelectorAll('body *'))
    for (const { name } of element.attributes)
      if (name.startsWith('on')) found.push(`there is an attribute ${name}`);
  return found;
}

/** The texts that are not the complete text of any element or field. Runs in the page. */
function missingTexts(texts: string[]): string[] {
  const shown = new Set<string>();
  for (const element of document.querySelectorAll('body *')) {
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)
      shown.add(element.value);
    shown.add(element.textContent);
  }
  return texts
    .filter((text) => !shown.has(text) && !shown.has(text.replaceAll('\r\n', '\n')))
    .map((text) => `not shown: ${JSON.stringify(text.slice(0, 200))}`);
}

/**
 * Words of the interface whose letters run from right to left, because the direction of an adjacent text was not
 * isolated. Runs in the page.
 */
function reversedWords(): string[] {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found: string[] = [];
  const range = document.createRange();
  const leftOf = (node: Text, at: number) => {
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range.getBoundingClientRect();
  };
  while (texts.nextNode()) {
    const node = texts.currentNode as Text;
    const around = node.parentElement;
    if (!around || around.closest('[translate=no], bdi, [lang]:not(html), [dir]:not(html), textarea, option'))
      continue;
    for (const { index, 0: word } of node.data.matchAll(/[A-Za-z]{2,}/g)) {
      const first = leftOf(node, index);
      const last = leftOf(node, index + word.length - 1);
      if (first.top === last.top && first.left > last.left) found.push(`reversed: ${node.data.trim()}`);
    }
  }
  return found;
}
