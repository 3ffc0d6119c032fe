import { type Random, seededRandom } from '../seeded-random.ts';

const random = seededRandom(300);

/** Invented words with typical lengths. The first words are used most often. */
const words = Array.from({ length: 8000 }, () =>
  Array.from(
    { length: 2 + Math.floor(9 * random()) },
    () => 'etaoinshrdlucmfgypwbvkxjqz'[Math.floor(26 * random() ** 1.7)],
  ).join(''),
);

/** A text of invented words with spaces between them. The first word begins with a capital letter. */
export function inventWords(count: number, next: Random): string {
  const text = Array.from({ length: count }, () => words[Math.floor(words.length * next() ** 3)]).join(' ');
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}
