import type { PixelBox, ReadLine, ReadParagraph, ReadWord } from '../../ocr/tesseract.ts';

/** Whether a line is turned by about 90°. Tesseract reads such lines, but their words cannot be replaced in this direction. */
export function isSteep({ baseline: { x0, x1, y0, y1 } }: Pick<ReadLine, 'baseline'>): boolean {
  return Math.abs(y1 - y0) > Math.abs(x1 - x0);
}

/** The mean confidence of steep lines below which they are upside down: Tesseract reads all of them as rising. */
const minRising = 70;

/**
 * Returns the degrees by which a page has to be turned clockwise so that most of its text is horizontal: 0, 90 if the lines
 * rise, or 270 if they fall.
 */
export function turnOf(paragraphs: readonly ReadParagraph[]): 0 | 90 | 270 {
  const lines = paragraphs.flatMap(({ lines }) => lines);
  const [steep, level] = [true, false].map((is) =>
    lines.filter((line) => isSteep(line) === is).flatMap(({ words }) => words),
  ) as [ReadWord[], ReadWord[]];
  const length = lengthOf(steep);
  if (length <= lengthOf(level)) return 0;
  const sum = steep.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  return sum / length >= minRising ? 90 : 270;
}

/** Returns the number of characters of words. */
export function lengthOf(words: readonly { text: string }[]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

/** Signs as which Tesseract often reads a bullet, and their minimum height if they are not bullets, in em. */
const misread = /^[¢®©]$/;
const minSign = 0.55;

/** Returns the first word of a line: a bullet if it is a sign that is too small, otherwise its text. */
export function asBullet(text: string, { y0, y1 }: PixelBox, size: number): string {
  return misread.test(text) && y1 - y0 < minSign * size ? '•' : text;
}
