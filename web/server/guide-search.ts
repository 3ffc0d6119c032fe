import type { GuideBook } from './guide-pages.ts';

/** An operation of the API reference, as an entry of the search. */
export interface OperationEntry {
  /** The method and path, such as `POST /api/translations`. */
  name: string;
  summary: string;
  /** The fragment in the URL of the reference, without `#`. */
  anchor: string;
}

/** A result of a search. */
export interface Found {
  /** The title of the guide, or of the API reference. */
  page: string;
  heading: string;
  /** The path of the URL, from the root of the service. */
  address: string;
  /** The text around the first match, and the positions of all matches in it. */
  excerpt: string;
}

interface Entry extends Omit<Found, 'excerpt'> {
  text: string;
  /** The texts after `folded`: each word follows a space. */
  words: { page: string; heading: string; text: string };
}

/** The parts of all guides and the operations of the reference, in memory. */
export type SearchIndex = readonly Entry[];

/** The maximum length of a query in UTF-16 units, and the maximum number of words that are searched. */
export const maxQueryLength = 100;
const maxWords = 8;
const maxFound = 30;
const excerptLength = 180;

/** Creates the search index from all guides and operations. */
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
 * Finds the entries that contain, for each word of the query, a word that begins with it. The best entries come first:
 * a match in a heading counts more than one in the title of the page, and a match in the title more than one in the
 * text.
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

/** The different words of a query, without case and accents. */
export function wordsOf(query: string): string[] {
  return [...new Set(folded(query.slice(0, maxQueryLength)).split(' ').filter(Boolean))].slice(0, maxWords);
}

/** Returns 0 if the entry lacks a word. */
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

/** Counts how often the text contains the word, up to five. */
function usesOf(text: string, word: string): number {
  let uses = 0;
  for (let at = text.indexOf(word); at >= 0 && uses < 5; at = text.indexOf(word, at + 1)) uses++;
  return uses;
}

/** Removes case and accents, and replaces everything between two words by one space. The result begins with a space. */
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
