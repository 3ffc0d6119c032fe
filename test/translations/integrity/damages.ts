import type { Pair } from './pairs.ts';

/** A translation from which one element was deliberately removed. */
export interface Seed {
  kind: string;
  pair: Pick<Pair, 'source' | 'target' | 'lang'>;
  /** The element that was removed or altered. */
  lost: string;
  damaged: string;
}

// These patterns are simpler than the check and independent of it: they match what a person would call a number, a tag
// or a placeholder.
const pieces: Record<string, RegExp> = {
  placeholder:
    /\{\{\w+\}\}|%\{\w+\}|%\(\w+\)[a-z]|%\d\$[a-z]|%[sdru](?![a-z])|%\d(?![\d.$a-zA-Z])|%n(?![a-z])|(?<![{%])\{\w+\}(?!\})/g,
  // `<file>` without an attribute or end tag is a word in a command's usage.
  tag: /<\/[a-z]\w*>|<(?:[abipuq]|b[ru]|code|em|h\d|kbd|span|strong|tt|var)(?:\s[^<>]*)?\/?>|<[a-z]\w*\s[^<>]*=[^<>]*>/gi,
  address: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  link: /https?:\/\/[\w./?=&%~-]*[\w/]/g,
  number: /(?<![\p{L}\p{N}_.,{%$=<|-]|&#)\d+(?:[.,]\d+)*(?![\p{L}\p{N}_}$=])/gu,
};

/** An altered element, such as a renamed placeholder or a number changed by one. */
function altered(kind: string, piece: string): string {
  if (kind === 'number' || /^%\d$/.test(piece)) {
    return piece.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
  }
  if (kind === 'link' || kind === 'address')
    return piece.replace(/[a-z](?=[^a-z]*$)/i, (letter) => (letter === 'x' ? 'y' : 'x'));
  if (/^%[a-z]$/.test(piece)) return `${piece[0]} ${piece[1]}`;
  if (/\d/.test(piece)) return piece.replace(/\d/, (digit) => String((Number(digit) + 1) % 10));
  return piece.replace(/\w+/, (name) => `${name}x`);
}

function damage(kind: string, pair: Seed['pair'], start: number, piece: string): Seed[] {
  const replaced = (by: string): string =>
    pair.target.slice(0, start) + by + pair.target.slice(start + piece.length);
  return [
    { kind: `${kind} deleted`, pair, lost: piece, damaged: replaced('') },
    { kind: `${kind} altered`, pair, lost: piece, damaged: replaced(altered(kind, piece)) },
  ];
}

/**
 * Deletes and alters the elements of an intact translation, one at a time. Only elements that the source contains
 * unchanged, at least as often, are used.
 */
export function damagesOf(pair: Seed['pair']): Seed[] {
  return Object.entries(pieces).flatMap(([kind, pattern]) => {
    // Elements within a tag, a link or an email address are not used separately.
    const outer =
      kind === 'tag'
        ? []
        : kind === 'link'
          ? ['tag']
          : kind === 'address'
            ? ['tag', 'link']
            : ['tag', 'link', 'address'];
    const alone = (text: string): string =>
      outer.reduce((left, other) => left.replace(pieces[other]!, (all) => '_'.repeat(all.length)), text);
    const found = [...alone(pair.target).matchAll(pattern)];
    const count = (all: readonly string[], piece: string): number =>
      all.filter((one) => one === piece).length;
    const inSource = alone(pair.source).match(pattern) ?? [];
    const inTarget = found.map(([piece]) => piece);
    return found
      .filter(([piece]) => count(inSource, piece) >= count(inTarget, piece))
      .flatMap(({ index, 0: piece }) => damage(kind, pair, index, piece));
  });
}
