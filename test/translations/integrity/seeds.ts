import { issuesOf } from './checked.ts';
import { type Pair, pairs } from './pairs.ts';

/** A translation with one thing lost on purpose. */
export interface Seed {
  kind: string;
  pair: Pick<Pair, 'source' | 'target' | 'lang'>;
  /** What was in the translation and is not any more. */
  lost: string;
  damaged: string;
}

// Written apart from the check, and plainer: what these find, a person would call by that name.
const pieces: Record<string, RegExp> = {
  placeholder:
    /\{\{\w+\}\}|%\{\w+\}|%\(\w+\)[a-z]|%\d\$[a-z]|%[sdru](?![a-z])|%\d(?!\d)|%n(?![a-z])|(?<![{%])\{\w+\}(?!\})/g,
  tag: /<\/?[a-z]\w*(?:\s[^<>]*)?\/?>/gi,
  link: /https?:\/\/[\w./?=&%~-]*[\w/]/g,
  number: /(?<![\p{L}\p{N}_.,{%$=<-])\d+(?:[.,]\d+)*(?![\p{L}\p{N}_}$])/gu,
};

/** A piece as it stands in both texts, other than it was: a renamed placeholder, a number one off. */
function altered(kind: string, piece: string): string {
  if (kind === 'number' || /^%\d$/.test(piece)) {
    return piece.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
  }
  if (kind === 'link') return piece.replace(/[a-z](?=[^a-z]*$)/i, (letter) => (letter === 'x' ? 'y' : 'x'));
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

/** Every piece of the intact translations that their sources have as it stands, deleted and altered, one at a time. */
function ownSeeds(): Seed[] {
  return pairs
    .filter(({ source, target, lang }) => issuesOf(source, target, lang).length === 0)
    .flatMap((pair) =>
      Object.entries(pieces).flatMap(([kind, pattern]) => {
        // What is within a tag or a link is not a piece of its own.
        const inside = kind === 'tag' || kind === 'link' ? [] : [pieces['tag']!, pieces['link']!];
        const target = inside.reduce(
          (text, other) => text.replace(other, (all) => '_'.repeat(all.length)),
          pair.target,
        );
        const inSource = new Set(pair.source.match(pattern) ?? []);
        return [...target.matchAll(pattern)]
          .filter(([piece]) => inSource.has(piece))
          .flatMap(({ index, 0: piece }) => damage(kind, pair, index, piece));
      }),
    );
}

const links = ['https://example.com/docs/a?b=1', 'http://localhost:8080/x/', 'www.example.org/a_b'];
const addresses = ['help@example.com', 'first.last+tag@mail.example.org'];
const numbers = [1234.56, 98765, 0.75, 1200000, 37, 2019];

/** Links, addresses and numbers set behind intact pairs, the numbers in the format of the language; then damaged. */
function setSeeds(): Seed[] {
  const intact = pairs.filter(({ source, target, lang }) => issuesOf(source, target, lang).length === 0);
  return intact.flatMap((pair, i) => {
    const english = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
    const own = new Intl.NumberFormat(pair.lang, { maximumFractionDigits: 2 });
    const number = numbers[i % numbers.length]!;
    const choices: [kind: string, inSource: string, inTarget: string, changed: string][] = [
      ['link', links[i % links.length]!, links[i % links.length]!, links[(i + 1) % links.length]!],
      ['address', addresses[i % 2]!, addresses[i % 2]!, addresses[(i + 1) % 2]!],
      ['number', english.format(number), own.format(number), own.format(number + 10)],
    ];
    const [kind, inSource, inTarget, changed] = choices[i % 3]!;
    // An English year stands without a comma.
    const written = number === 2019 && kind === 'number' ? '2019' : inSource;
    const longer = {
      lang: pair.lang,
      source: `${pair.source} (${written})`,
      target: `${pair.target} (${inTarget})`,
    };
    return [
      { kind: `set ${kind} deleted`, pair: longer, lost: inTarget, damaged: `${pair.target} ()` },
      { kind: `set ${kind} altered`, pair: longer, lost: inTarget, damaged: `${pair.target} (${changed})` },
    ];
  });
}

export const seeds: readonly Seed[] = [...ownSeeds(), ...setSeeds()];
