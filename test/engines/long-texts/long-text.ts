import type { TranslationTask } from '#server/engines/engine.ts';
import { type Asked, askedOf } from '#test/fakes/openai.ts';
import { plain, useFakeUpstream } from '../live-engine.ts';

/** A fake upstream for each test of the file, and the texts of each call. */
export function useAskedUpstream() {
  const upstream = useFakeUpstream();
  return { upstream, asked: (): Asked[] => upstream.fake.requests.map(askedOf) };
}

/** The length of all texts together. */
export const units = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0);

const sentence = 'The quick brown fox jumps over the lazy dog, and Dr. Smith pays 3.50 for it. ';
/** Some 50,000 characters: paragraphs of many lengths, of whole sentences. */
export const longText = Array.from(
  { length: 60 },
  (_, index) => `${index}: ${sentence.repeat((index % 19) + 1).trim()}`,
)
  .join('\n\n')
  .slice(0, 50_000);
/** To translate it. */
export const longTask: TranslationTask = { ...plain, segments: [longText] };

/** Replaces each letter by one of another alphabet, so that every position of the source can be found in the translation. */
export const cipher = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0x3b0 - 0x60));
