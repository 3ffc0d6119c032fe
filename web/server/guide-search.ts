import type { GuideBook } from './guide-pages.ts';

/** An operation of the reference, for the search. */
export interface OperationEntry {
  /** Like `POST /api/translations`. */
  name: string;
  summary: string;
  /** The part after the `#` of the reference's URL. */
  anchor: string;
}

/** A result of a search. */
export interface Found {
  /** The guide's, or that of the reference. */
  page: string;
  heading: string;
  /** From the service's root. */
  address: string;
  /** The text around the first word that was found, and the positions of the query's words in it. */
  excerpt: string;
}

interface Entry extends Omit<Found, 'excerpt'> {
  text: string;
  /** Folded, with a space before each word. */
  words: { page: string; heading: string; text: string };
}

/** The parts of all guides and the operations of the reference, in memory. */
export type SearchIndex = readonly Entry[];

/** The maximum query length, in UTF-16 units, and the maximum number of its words. */
export const maxQueryLength = 100;
const maxWords = 8;
const maxFound = 30;
const excerptLength = 180;

/** Makes the index of all guides and operations. */
export function indexGuides(
  { index, sections }: GuideBook,
  operations: readonly OperationEntry[],
): SearchIndex {
  const guides = [index, ...sections.flatMap(({ guides }) => guides)];
  const parts = guides.flatMap(({ name, title, parts }) =>
    parts.map(({ heading, anchor, text }) => ({
      page: title,
      heading,
      address: `/docs/guides/${name}#${anchor}`,
      text,
    })),
  );
  const calls = operations.map(({ name, summary, anchor }) => ({
    page: 'API reference',
    heading: name,
    address: `/docs#${anchor}`,
    text: summary,
  }));
  return [...parts, ...calls].map((entry) => ({
    ...entry,
    words: { page: folded(entry.page), heading: folded(entry.heading), text: folded(entry.text) },
  }));
}

/**
 * Finds the entries in which every word of the query begins a word, the best first: a word in a heading counts more
 * than one in the title of the page, and that more than one in the text.
 */
export function searchGuides(index: SearchIndex, query: string): Found[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return index
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, maxFound)
    .map(({ entry: { page, heading, address, text } }) => ({
      page,
      heading,
      address,
      excerpt: excerptOf(text, words),
    }));
}

/** The words of a query, folded. */
export function wordsOf(query: string): string[] {
  return [...new Set(folded(query.slice(0, maxQueryLength)).split(' ').filter(Boolean))].slice(0, maxWords);
}

/** 0 if a word is missing. */
function scoreOf({ words: { page, heading, text } }: Entry, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const own =
      (heading.includes(` ${word}`) ? 20 : 0) +
      (page.includes(` ${word}`) ? 8 : 0) +
      usesOf(text, ` ${word}`);
    if (own === 0) return 0;
    score += own;
  }
  return score;
}

/** The number of times that the text has it, at most five. */
function usesOf(text: string, word: string): number {
  let uses = 0;
  for (let at = text.indexOf(word); at >= 0 && uses < 5; at = text.indexOf(word, at + 1)) uses++;
  return uses;
}

/** Without case and accents; the text between words becomes one space, and one is added at the beginning. */
function folded(text: string): string {
  return ` ${text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}_]+/gu, ' ')}`;
}

function excerptOf(text: string, words: readonly string[]): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (plain.length <= excerptLength) return plain;
  const lower = plain.toLowerCase();
  const first = Math.min(
    ...words.map((word) => lower.indexOf(word)).map((at) => (at < 0 ? plain.length : at)),
  );
  const from = first === plain.length || first < 60 ? 0 : plain.lastIndexOf(' ', first - 40) + 1;
  const to = plain.lastIndexOf(' ', from + excerptLength);
  const end = to > from ? to : from + excerptLength;
  return `${from > 0 ? '… ' : ''}${plain.slice(from, end)}${end < plain.length ? ' …' : ''}`;
}
