import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { plainText } from '#server/formats/inline-content.ts';
import { extract } from '#server/formats/pdf.ts';
import { editSimilarity } from '#server/matching/fuzzy/edit-similarity.ts';

/** How a segment of a PDF relates to the paragraphs of the same document as HTML. */
export type Match = 'equal' | 'alike' | 'cut by a page' | 'split' | 'joined' | 'mixed' | 'other';

export interface Compared {
  page: number;
  text: string;
  match: Match;
}

/** The similarity from which texts are alike. */
const minAlike = 0.95;
/** The length of the pieces of text that are looked up, in characters without spaces. */
const pieceLength = 8;
const maxCandidates = 6;

/** Compares the segments of a PDF with the paragraphs of an HTML document that has the same text. */
export function compareSegments(
  segments: readonly { page: number; text: string }[],
  paragraphs: readonly string[],
): Compared[] {
  const known = new Set(paragraphs.map(normal));
  const tight = [...known].map((text) => text.replaceAll(' ', ''));
  const whole = new Set(tight);
  const pieces = new Map<string, number[]>();
  for (const [index, text] of tight.entries())
    for (let at = 0; at + pieceLength <= text.length; at += pieceLength) {
      const piece = text.slice(at, at + pieceLength);
      const own = pieces.get(piece);
      if (!own) pieces.set(piece, [index]);
      else if (own.at(-1) !== index && own.length < 50) own.push(index);
    }
  /** The paragraphs with most pieces of a text. */
  const candidatesOf = (text: string): string[] => {
    const counts = new Map<number, number>();
    for (let at = 0; at + pieceLength <= text.length; at++)
      for (const index of pieces.get(text.slice(at, at + pieceLength)) ?? [])
        counts.set(index, (counts.get(index) ?? 0) + 1);
    const best = [...counts].sort(([, one], [, other]) => other - one).slice(0, maxCandidates);
    return best.map(([index]) => tight[index]!);
  };
  const matchOf = ({ page, text }: { page: number; text: string }, index: number): Match => {
    const own = normal(text);
    if (known.has(own)) return 'equal';
    const letters = own.replaceAll(' ', '');
    const candidates = candidatesOf(letters);
    if (whole.has(letters) || candidates.some((other) => editSimilarity(letters, other, minAlike) > 0))
      return 'alike';
    // Short texts occur in other texts by chance.
    const long = (other: string) => other.length >= pieceLength;
    if (candidates.some((other) => long(letters) && other.includes(letters))) {
      const isAtEdge = segments[index - 1]?.page !== page || segments[index + 1]?.page !== page;
      return isAtEdge ? 'cut by a page' : 'split';
    }
    const inside = candidates.filter((other) => long(other) && letters.includes(other));
    if (inside.length > 0) return 'joined';
    const half = letters.length >> 1;
    const [first, second] = [letters.slice(0, half), letters.slice(half)].map(
      (part) => candidatesOf(part)[0],
    );
    return first && second && first !== second ? 'mixed' : 'other';
  };
  return segments.map((segment, index) => ({ ...segment, match: matchOf(segment, index) }));
}

/** The number of a heading or an item, with the space after it; a PDF has it outside of the segment. */
const number = /^(?:\d+|\p{Lu})(?:\.\d+)*\.?(?:\s|(?=\p{Lo}))/u;
/** The mark of a note. Its number differs, because a PDF counts the notes of each chapter. */
const noteMark = /[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\[\d{1,3}\]/g;

/** In Japanese and Chinese, a space next to an ideograph comes from a line break of the source. */
const spaceAtIdeograph =
  /(?<=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])\s+|\s+(?=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])/gu;

/**
 * The letters and digits of a text, with one space for any white space. Quotation marks and the signs around numbers are
 * left out, because programs write them differently: `’` or `'`, `1.1` or `1.1.`.
 */
function normal(text: string): string {
  return text
    .replace(noteMark, '')
    .trim()
    .replace(number, '')
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}\s]/gu, '')
    .replace(spaceAtIdeograph, '')
    .replace(/\s+/g, ' ')
    .trim();
}

const inline = new Set(
  'a abbr acronym b bdi bdo big cite code dfn em font i img kbd q s samp small span strong sub sup tt u var'.split(
    ' ',
  ),
);

/** The end of a reference that a PDF does not have: `Section 6.4, “Loading missing firmware”`. */
const title = /^(\p{L}+\s[\p{Lu}\d.]+),\s.*$/su;

/** Returns the paragraphs of an HTML document: the texts between tags that are not inline. */
export function htmlParagraphs(source: string): string[] {
  const paragraphs = [''];
  const read = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('value' in node) paragraphs.push(`${paragraphs.pop()}${node.value}`);
    if (!('childNodes' in node) || node.nodeName === 'script' || node.nodeName === 'style') return;
    const isReference = 'attrs' in node && node.attrs.some(({ value }) => value === 'xref');
    if (isReference) {
      const [first] = node.childNodes;
      if (first && 'value' in first)
        paragraphs.push(`${paragraphs.pop()}${first.value.replace(title, '$1')}`);
      return;
    }
    const isInline = inline.has(node.nodeName);
    if (!isInline) paragraphs.push('');
    for (const child of node.childNodes) read(child);
    if (!isInline) paragraphs.push('');
  };
  read(parse(source));
  return paragraphs.map(normal).filter((text) => text !== '');
}

/**
 * Prints for each folder, which has one PDF and the HTML pages of the same document, which share of the PDF's
 * characters is in segments that equal a paragraph, and the kinds of the other segments. `verbose` prints these.
 */
export async function runTwin(folders: readonly string[], verbose: boolean): Promise<void> {
  for (const folder of folders.map((path) => resolve(path))) {
    const names = readdirSync(folder);
    const read = (name: string) => {
      const bytes = readFileSync(join(folder, name));
      return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    };
    const pdf = names.find((name) => /\.pdf(?:\.gz)?$/.test(name));
    if (!pdf) throw new Error(`${folder} has no PDF`);
    const paragraphs = names
      .filter((name) => /\.html?(?:\.gz)?$/.test(name))
      .flatMap((name) => htmlParagraphs(read(name).toString('utf8')));
    const { segments } = await extract(read(pdf));
    const compared = compareSegments(
      segments.map(({ page, source }) => ({ page: page!, text: plainText(source) })),
      paragraphs,
    );
    const count = (list: readonly Compared[]) => list.reduce((sum, { text }) => sum + normal(text).length, 0);
    const all = count(compared);
    console.log(`${basename(folder)}: ${all} characters in ${compared.length} segments`);
    for (const [match, own] of Map.groupBy(compared, ({ match }) => match))
      console.log(`  ${match}: ${((100 * count(own)) / all).toFixed(1)}% in ${own.length} segments`);
    if (verbose)
      for (const { match, page, text } of compared) console.log(`${match} [${page}] ${JSON.stringify(text)}`);
  }
}
