import type { StyleGuide } from '#sdk/types.ts';

type ForbiddenWords = StyleGuide['forbidden_words'];

/** Writes forbidden words as lines, each with its replacement after an equals sign. */
export function wordsToLines(words: ForbiddenWords): string {
  return words
    .map(({ term, use_instead }) => (use_instead === null ? term : `${term} = ${use_instead}`))
    .join('\n');
}

/** Reads the lines of `wordsToLines`. Empty lines, and lines that occur earlier, are left out. */
export function linesToWords(lines: string): ForbiddenWords {
  const words = new Map<string, ForbiddenWords[number]>();
  for (const line of lines.split('\n')) {
    const [, term = '', use_instead = ''] = /^\s*(.*?)\s*(?:\s=\s(.*))?$/.exec(line) ?? [];
    if (term !== '' && !words.has(term)) words.set(term, { term, use_instead: use_instead.trim() || null });
  }
  return [...words.values()];
}
