/*
 * A translation service keeps HTML tags in their places, but does not know the numbered tags of the pipeline (`<1>`,
 * `</1>`, `<2/>`). They travel as `<span id="1">`, `</span>` and `<img id="2/">`.
 */

/** Matches the numbered tags of a text. */
export const numbered = /<(\/?)(\d{1,9})(\/?)>/g;

/** Whether a text has numbered tags. */
export const hasTags = (text: string): boolean => text.search(numbered) >= 0;

/** Returns a text without its numbered tags. */
export const withoutTags = (text: string): string => text.replace(numbered, '');

/** Returns a text as HTML. A tag whose partner is not in the text travels as a void one does. */
export function toMarkup(text: string): string {
  const tags = [...text.matchAll(numbered)];
  const paired = new Set<number>();
  const open: number[] = [];
  for (const [index, [, closing, number, single]] of tags.entries()) {
    if (single) continue;
    if (!closing) open.push(index);
    else if (tags[open.at(-1) ?? -1]?.[2] === number) paired.add(index).add(open.pop()!);
  }
  let markup = '';
  let done = 0;
  for (const [index, { 0: written, 1: closing, 2: number, index: start }] of tags.entries()) {
    markup += encode(text.slice(done, start));
    if (!paired.has(index)) markup += `<img id="${written.slice(1, -1)}"/>`;
    else markup += closing ? '</span>' : `<span id="${number}">`;
    done = start + written.length;
  }
  return markup + encode(text.slice(done));
}

const element = /<(\/?)(span|img)(?:\s[^<>]{0,200})?>/gi;

/**
 * Returns a translated HTML text with numbered tags. Tags that the service has doubled, moved or lost are so in the
 * result too, and other markup is text: the pipeline checks the tags.
 */
export function fromMarkup(markup: string): string {
  const open: string[] = [];
  let text = '';
  let done = 0;
  for (const { 0: written, 1: closing, 2: name, index } of markup.matchAll(element)) {
    text += decode(markup.slice(done, index));
    done = index + written.length;
    const [, id = ''] = /\sid\s*=\s*["']?(\/?\d{1,9}\/?)["'\s>]/.exec(written) ?? [];
    const isPair = name!.toLowerCase() === 'span';
    const shown = isPair && closing ? (open.pop() ?? '') : id;
    if (isPair && !closing) open.push(id);
    if (shown !== '') text += isPair && closing ? `</${shown}>` : `<${shown}>`;
  }
  return text + decode(markup.slice(done));
}

function encode(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u{a0}',
};

/** Decodes the entities that services write: those of XML, the no-break space, and numbers. */
function decode(markup: string): string {
  return markup.replace(
    /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, name, decimal, hex) => {
      if (name) return named[name.toLowerCase()] ?? whole;
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      const isCharacter = code > 0 && code <= 0x10_ff_ff && !(code >= 0xd800 && code <= 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : whole;
    },
  );
}
