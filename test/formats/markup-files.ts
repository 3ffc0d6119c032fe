import { expect } from 'vitest';
import type { LayoutFormat, Segment } from '#server/formats/document.ts';
import { extractHtml } from '#server/formats/html-segments.ts';
import { formatTagged, type InlineContent } from '#server/formats/inline-content.ts';

const languages = { sourceLanguage: 'en', targetLanguage: 'en' };

/** Each text of a file with its tags. */
export async function textsOf(format: LayoutFormat, file: string): Promise<string[]> {
  return (await segmentsOf(format, file)).map(({ source }) => formatTagged(source));
}

export async function segmentsOf(format: LayoutFormat, file: string): Promise<Segment[]> {
  const { segments, outcome } = await format.extract(Buffer.from(file), languages);
  expect(outcome?.unaccounted).toBe(0);
  return segments;
}

/** Translates each text of a file with a function, and returns the new file. */
export async function translate(
  format: LayoutFormat,
  file: string,
  translateText: (source: InlineContent) => InlineContent,
  targetLanguage = 'en',
): Promise<string> {
  const translations = (await segmentsOf(format, file)).map(({ regionId, cellId, source }) => ({
    ...{ regionId, cellId },
    target: translateText(source),
  }));
  const { bytes } = await format.rebuild(Buffer.from(file), translations, { ...languages, targetLanguage });
  return Buffer.from(bytes).toString();
}

export const unchanged = (source: InlineContent): InlineContent => source;

/** Applies a change to the strings of a text. */
export const eachString =
  (change: (text: string) => string) =>
  (source: InlineContent): InlineContent =>
    source.map((item) => (typeof item === 'string' ? change(item) : item));

/** Marks each word: `Hello` becomes `Hello§`. */
export const marked = eachString((text) => text.replaceAll(/\p{L}+/gu, '$&§'));

/** The texts of the segments in an HTML string, in order. */
export const texts = (source: string): string[] => extractHtml(source).map((segment) => segment.text);
