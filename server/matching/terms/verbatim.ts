/**
 * Spans that a translation leaves as they are: addresses, markup, placeholders. A term inside one is no word of the
 * text: `{total}` and https://example.com/total say nothing about how "total" is translated. Time is linear in the text.
 *
 * @returns offsets in the text; spans may overlap
 */
export function verbatimSpans(text: string): [start: number, end: number][] {
  const spans: [number, number][] = [];
  for (const [sign, pattern] of patterns)
    if (text.includes(sign))
      for (const { index, 0: span } of text.matchAll(pattern)) spans.push([index, index + span.length]);
  if (text.includes('@')) spans.push(...mailAddresses(text));
  return spans;
}

/** What each kind cannot do without, for it is looked for much faster; every repetition is bounded or meets its own end. */
const patterns: readonly [sign: string, RegExp][] = [
  ['://', /(?<![a-z])[a-z]{2,12}:\/\/[\x21-\x7e]+/gi],
  ['www.', /(?<![a-z])www\.[\x21-\x7e]+/g],
  ['<', /<\/?[a-z][^<>]{0,2000}>/gi],
  ['{', /\$?\{[\w.$:-]{1,64}\}/g],
  ['%(', /%\(\w{1,64}\)[a-z]/g],
];

function mailAddresses(text: string): [number, number][] {
  const spans: [number, number][] = [];
  let from = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > from && ofAddress.test(text[start - 1]!)) start--;
    let end = at + 1;
    while (end < text.length && ofAddress.test(text[end]!)) end++;
    if (start < at && end > at + 1) spans.push([start, end]);
    from = at + 1;
  }
  return spans;
}

const ofAddress = /[\w.+-]/;
