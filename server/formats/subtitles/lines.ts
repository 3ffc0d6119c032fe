import { isDenseScript } from '#server/languages.ts';
import type { Selection } from '../selection.ts';

/** The maximum numbers of characters: of a line, and of a subtitle for each second. */
export interface SubtitleLimits {
  line: number;
  speed: number;
}

/** Returns the limits of readable subtitles, as broadcasters have them. A character of a dense script counts as about two. */
export function limitsFor(
  language: string,
  { lineLength, readingSpeed }: Pick<Selection, 'lineLength' | 'readingSpeed'>,
): SubtitleLimits {
  const [line, speed] = isDenseScript(language) ? ([20, 11] as const) : ([42, 21] as const);
  return { line: lineLength ?? line, speed: readingSpeed ?? speed };
}

/** Returns the number of characters that are shown: tags do not count, and a character reference of WebVTT counts as one. */
export function visible(text: string): number {
  if (!/[<{&\ud800-\udfff]/.test(text)) return text.length;
  return [...text.replaceAll(/<[^<>]*>|\{\\[^{}]*\}/g, '').replaceAll(/&(?:amp|lt|gt|nbsp|lrm|rlm);/g, '.')]
    .length;
}

/** Breaks a text into lines of about the same length: as few as possible, each of at most `most` characters. */
export function breakLines(text: string, language: string, most: number): string[] {
  const count = Math.ceil(visible(text) / most);
  if (count < 2) return [text];
  const pieces = piecesOf(text, language);
  for (let lines = count; lines < pieces.length; lines++) {
    const broken = fill(pieces, visible(text) / lines, lines);
    if (broken.every((line) => visible(line) <= most)) return broken;
  }
  return fill(pieces, visible(text) / count, count);
}

/** Cuts a text at the possible ends of lines: after spaces, or between words in languages without spaces. Tags are not cut. */
function piecesOf(text: string, language: string): string[] {
  const words = text.match(/(?:<[^<>]*>|\S)+\s*/g) ?? [text];
  if (!isDenseScript(language)) return words;
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  return words.flatMap((word) => {
    if (/[<{]/.test(word)) return [word];
    const parts: string[] = [];
    for (const { segment, isWordLike } of segmenter.segment(word))
      if (isWordLike || parts.length === 0) parts.push(segment);
      else parts[parts.length - 1] += segment;
    return parts;
  });
}

/** Fills lines with pieces. A line ends where its length is nearest to `length`. */
function fill(pieces: readonly string[], length: number, lines: number): string[] {
  const filled: string[] = [''];
  for (const piece of pieces) {
    const last = filled.at(-1)!;
    const over = visible((last + piece).trimEnd()) - length;
    if (last !== '' && filled.length < lines && over > length - visible(last.trimEnd())) filled.push(piece);
    else filled[filled.length - 1] = last + piece;
  }
  return filled.map((line) => line.trim());
}
