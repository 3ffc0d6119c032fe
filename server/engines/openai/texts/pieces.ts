import { cutText } from './cut-text.ts';
import { unitsPerCall } from './groups.ts';
import { keepOuterSpace } from './outer-space.ts';

/** A stretch of source short enough to be asked for at once: a whole segment, or a part of a long one. */
export interface Piece {
  /** Index of the segment it belongs to. */
  segment: number;
  /** Its source to the letter; a segment's pieces joined are the segment. */
  source: string;
}

export function cutSegments(segments: readonly string[], language: string): Piece[] {
  const most = unitsPerCall(language);
  return segments.flatMap((text, segment) =>
    cutText(text, most, language).map((source) => ({ segment, source })),
  );
}

/** Written without spaces between sentences. */
const unspaced: ReadonlySet<string> = new Set(['zh-Hans', 'zh-Hant', 'ja', 'th']);

/**
 * The segments again, from one translation for each piece. The whitespace around and between pieces is the source's;
 * where a language that writes no spaces had none between two pieces, one that does gets a space there.
 */
export function joinPieces(
  pieces: readonly Piece[],
  translations: readonly string[],
  { sourceLang, targetLang }: { sourceLang: string; targetLang: string },
): string[] {
  const gap = unspaced.has(sourceLang) && !unspaced.has(targetLang) ? ' ' : '';
  const joined: string[] = [];
  for (const [index, { segment, source }] of pieces.entries()) {
    const text = keepOuterSpace(source, translations[index]!);
    const before = joined[segment];
    if (before === undefined) joined[segment] = text;
    else joined[segment] = before + (/\S$/.test(before.slice(-1)) && /^\S/.test(text) ? gap : '') + text;
  }
  return joined;
}
