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
  const length = visible(text);
  // With more lines than these, a piece is longer than a line, or the text has far too many lines anyway.
  for (let lines = count; lines < Math.min(pieces.length, count + maxMore); lines++) {
    const broken = fill(pieces, length / lines, lines);
    if (broken.every((line) => visible(line) <= most)) return broken;
  }
  return fill(pieces, length / count, count);
}

const maxMore = 10;

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
  // The length of the last line, with the white space at its end and without it.
  let [own, trimmed] = [0, 0];
  for (const piece of pieces) {
    const [whole, word] = [visible(piece), visible(piece.trimEnd())];
    const isNext = own > 0 && filled.length < lines && own + word - length > length - trimmed;
    if (isNext) filled.push(piece);
    else filled[filled.length - 1] += piece;
    trimmed = (isNext ? 0 : own) + word;
    own = (isNext ? 0 : own) + whole;
  }
  return filled.map((line) => line.trim());
}
