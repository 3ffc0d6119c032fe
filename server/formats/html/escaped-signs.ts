import { decodeText } from './character-references.ts';

/*
 * Signs of templates that a source has as character references, such as `&#123;` and `&commat;`. A template does not run
 * them, and a browser shows them. In a translation they are references, too, so that a shown sign never becomes code.
 */

const signs = '{}[]@$#%';
const reference = /&(?:#\d{2,7}|#x[0-9a-f]{2,6}|[a-z]{3,8});/gi;
/** Placeholders, email addresses and names, which a program may replace. */
const live = /\{[^{}\n]{0,200}\}|[\w.+-]*@(?:[\w.-]+|(?=\s))/g;
/** The signs that begin or end a block of Angular. */
const ofBlocks = { '{': '&#123;', '}': '&#125;', '@': '&#64;' };

/**
 * Returns the references that a source has for signs of templates, by sign.
 *
 * @param raw the source of a text, as in its file
 */
function referencesIn(raw: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [written] of raw.matchAll(reference)) {
    const sign = decodeText(written);
    if (sign.length === 1 && signs.includes(sign)) found.set(sign, written);
  }
  return found;
}

/** The signs of a text, and the references with which they are written. */
export interface Signs {
  /** Matches the pieces that a program may replace, which stay, and all other signs with a reference. */
  pattern: RegExp;
  references: ReadonlyMap<string, string>;
}

/**
 * Returns how the signs of templates are written in a translation: as the references of its source, except in the
 * placeholders and addresses that the source has without them.
 *
 * @param raw the source of the text, as in its file
 * @param hasBlocks whether a brace or `@` that the source lacks could begin or end a block
 */
export function signsOf(raw: string, hasBlocks = false): Signs | undefined {
  const references = new Map([...(hasBlocks ? Object.entries(ofBlocks) : []), ...referencesIn(raw)]);
  if (references.size === 0) return undefined;
  const own = raw.replace(reference, ' ').match(live) ?? [];
  const pieces = [...new Set(own)].map((piece) => RegExp.escape(piece));
  const sign = `[${RegExp.escape([...references.keys()].join(''))}]`;
  return { pattern: new RegExp(`(${[...pieces, sign].join('|')})`, 'g'), references };
}

/** Returns a function that writes texts. `write` writes a text without signs that have a reference. */
export function signWriter(
  write: (text: string) => string,
  signs: Signs | undefined,
): (text: string) => string {
  if (!signs) return write;
  return (text) =>
    text
      .split(signs.pattern)
      .map((piece) => signs.references.get(piece) ?? write(piece))
      .join('');
}
