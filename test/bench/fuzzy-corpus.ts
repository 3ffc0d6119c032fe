import { countCodePoints } from '#server/formats/text.ts';
import { editSimilarity, maxFuzzyLength, minSimilarity, similarityTo } from '#server/matching/fuzzy/index.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import {
  type CorpusLanguage,
  installedSentences,
  inventedSentences,
  isWord,
  wordsOf,
} from './fuzzy-sentences.ts';
import { pick, type Random, seededRandom, shuffled } from './seeded-random.ts';

export { type CorpusLanguage, corpusLanguages } from './fuzzy-sentences.ts';

/**
 * The ways in which a query was made similar to a segment. `characters`: by edits of characters; `words`: by edits of
 * words; `found`: the query is a sentence that was already similar; `short`: by edits of characters in a segment of
 * only 3 to 10 characters.
 */
export const queryKinds = ['characters', 'words', 'found', 'short'] as const;
export type QueryKind = (typeof queryKinds)[number];

export interface FuzzyQuery {
  kind: QueryKind;
  /** In normal form. No segment is equal to it. */
  text: string;
  /**
   * The similarities of the 5 most similar segments, the best first. Only similarities of at least 70% are included;
   * the first one is 70–99%.
   */
  closest: number[];
}

export interface FuzzyCorpus {
  /** The source of the sentences, for output. */
  origin: string;
  /** All different, in normal form and random order. */
  segments: string[];
  queries: FuzzyQuery[];
}

/**
 * Creates a corpus of `size` segments, and up to `each` queries of each kind. It is always the same if the same
 * packages are installed.
 */
export function fuzzyCorpus(language: CorpusLanguage, size = 50_000, each = 167): FuzzyCorpus {
  const random = seededRandom(size);
  const reserved = 6 * each;
  const installed = [...installedSentences(language)];
  const enough = installed.length >= size + reserved;
  const sentences = enough ? installed : inventedSentences(language, size + reserved, random);
  const mixed = mix(sentences, size + reserved, random);
  const segments = mixed.slice(0, size);

  const closestTo = bruteForce(segments);
  const query = (kind: QueryKind, text: string | undefined): FuzzyQuery | undefined => {
    if (text === undefined) return undefined;
    const closest = closestTo(text);
    return closest.length > 0 && closest[0]! <= 0.99 ? { kind, text, closest } : undefined;
  };
  const edited = (kind: QueryKind, originals: string[], edit: (text: string) => string) =>
    take(each, 100 * each, () => {
      const alike = minSimilarity + (0.99 - minSimilarity) * random();
      return query(kind, editDown(pick(originals, random), alike, edit));
    });
  const characterEdit = (text: string) => editCharacter(text, pick(segments, random), random);
  const wordEdit = (text: string) => editWord(text, pick(segments, random), language, random);
  const short = segments.filter((text) => countCodePoints(text) <= 10);
  const reserve = mixed.slice(size).values();
  return {
    origin: enough
      ? `from ${installed.length} sentences of programs and manuals on this machine`
      : `made-up sentences, since this machine's programs have ${installed.length} only`,
    segments,
    queries: [
      ...edited('characters', segments, characterEdit),
      ...edited('words', segments, wordEdit),
      ...edited('short', short, characterEdit),
      ...take(each, reserved, () => query('found', reserve.next().value)),
    ],
  };
}

/**
 * Counts how many of the most similar segments a lookup has found. `answers` are the similarities of its results, of
 * which the first 5 count. A result that is as similar as the last of the closest segments counts like that segment.
 */
export function countFound({ closest }: FuzzyQuery, answers: readonly number[]): number {
  const last = closest.at(-1) ?? Number.POSITIVE_INFINITY;
  return Math.min(closest.length, answers.slice(0, 5).filter((alike) => alike > last - 1e-9).length);
}

/**
 * Returns a function that compares a text with all segments, and returns the similarities of the 5 most similar ones.
 * For most segments, a lower bound of the distance is sufficient: it is computed from the frequencies of characters in
 * 32 classes.
 */
function bruteForce(segments: readonly string[]): (text: string) => number[] {
  const classes = 32;
  const lengths = segments.map(countCodePoints);
  const bags = new Int16Array(segments.length * classes);
  const fill = (bag: Int16Array, text: string) => {
    for (const character of text) bag[Math.imul(character.codePointAt(0)!, 0x9e3779b1) >>> 27]! += 1;
    return bag;
  };
  for (const [index, segment] of segments.entries())
    fill(bags.subarray(index * classes, (index + 1) * classes), segment);
  const leastDistance = (bag: Int16Array, index: number) => {
    let [over, under] = [0, 0];
    for (let each = 0; each < classes; each++) {
      const difference = bag[each]! - bags[index * classes + each]!;
      if (difference > 0) over += difference;
      else under -= difference;
    }
    return Math.max(over, under);
  };

  return (text) => {
    const bag = fill(new Int16Array(classes), text);
    const length = countCodePoints(text);
    const similarity = similarityTo(text);
    let closest: number[] = [];
    for (const [index, segment] of segments.entries()) {
      const atLeast = closest[4] ?? minSimilarity;
      const allowed = (1 - atLeast) * Math.max(length, lengths[index]!) + 1e-9;
      if (Math.abs(length - lengths[index]!) > allowed || leastDistance(bag, index) > allowed) continue;
      const alike = similarity(segment, atLeast);
      if (alike > 0) closest = [...closest, alike].sort((a, b) => b - a).slice(0, 5);
    }
    return closest;
  };
}

/**
 * Selects `count` sentences in random order. If there are enough of both, a tenth are labels of less than 20
 * characters.
 */
function mix(sentences: readonly string[], count: number, random: Random): string[] {
  const { labels = [], longer = [] } = Object.groupBy(shuffled(sentences, random), (text) =>
    countCodePoints(text) < 20 ? 'labels' : 'longer',
  );
  const labelled = Math.min(labels.length, Math.max(Math.floor(count / 10), count - longer.length));
  return shuffled([...labels.slice(0, labelled), ...longer.slice(0, count - labelled)], random);
}

/** Edits a text until its similarity is at most `alike`; undefined if the last edit makes it less than 70%. */
function editDown(text: string, alike: number, edit: (text: string) => string): string | undefined {
  let edited = text;
  for (let edits = 0; edits < maxFuzzyLength; edits++) {
    edited = normalForm(edit(edited));
    const similarity = editSimilarity(text, edited);
    if (similarity < minSimilarity) return undefined;
    if (similarity <= alike) return edited;
  }
  return undefined;
}

/** Inserts, removes, replaces or transposes a character at a random place. New characters are taken from `other`. */
function editCharacter(text: string, other: string, random: Random): string {
  const points = [...text];
  const at = Math.floor(random() * points.length);
  const next = points[at + 1];
  const kind = Math.floor(4 * random());
  if (kind === 0) points.splice(at, 0, pick([...other], random));
  else if (kind === 1) points.splice(at, 1);
  else if (kind === 2 || next === undefined) points[at] = pick([...other], random);
  else points.splice(at, 2, next, points[at]!);
  return points.join('');
}

/** Adds, removes, replaces or moves a word. New words are taken from `other`. */
function editWord(text: string, other: string, language: CorpusLanguage, random: Random): string {
  const parts = wordsOf(text, language);
  const places = [...parts.keys()].filter((place) => isWord(parts[place]!));
  const words = wordsOf(other, language).filter(isWord);
  if (places.length === 0 || words.length === 0) return text;
  const [at, to] = [pick(places, random), pick(places, random)];
  const spaced = parts[at + 1] === ' ';
  const kind = Math.floor(4 * random());
  if (kind === 0) parts.splice(at, 0, pick(words, random), spaced ? ' ' : '');
  else if (kind === 1) parts.splice(at, spaced ? 2 : 1);
  else if (kind === 2) parts[at] = pick(words, random);
  else parts.splice(to, 0, ...parts.splice(at, spaced ? 2 : 1));
  return parts.join('');
}

/** Calls `next` until it has returned `count` values, but at most `tries` times. */
function take<T>(count: number, tries: number, next: () => T | undefined): T[] {
  const taken: T[] = [];
  for (let tried = 0; tried < tries && taken.length < count; tried++) {
    const item = next();
    if (item !== undefined) taken.push(item);
  }
  return taken;
}
