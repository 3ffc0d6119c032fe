import type { Line } from './pdf-lines.ts';

/**
 * The text of a page: lines that belong to one paragraph are joined, paragraphs divided by a blank line. Lines belong
 * together that are set in one size, at the distance of lines, one below the other, unless the lower one starts like an
 * item of a list, the upper one is a heading, or it ends a sentence and the lower one is indented or the upper one short.
 */
export function joinLines(lines: readonly Line[]): string {
  const paragraphs: string[] = [];
  let text = '';
  let widest = 0;
  const leading = usualDrop(lines);
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1];
    if (above && continues(above, line, widest, leading)) {
      text = join(text, line.text);
    } else {
      if (text !== '') paragraphs.push(text);
      text = line.text;
      widest = 0;
    }
    widest = Math.max(widest, line.right);
  }
  if (text !== '') paragraphs.push(text);
  return paragraphs.join('\n\n');
}

/** Of the font's height: the least distance between the lines of a paragraph, and what is taken for its greatest. */
const leastLeading = 0.6;
const usualLeading = 1.5;
const widestLeading = 3;
/** Of the usual distance between the lines of a page: more than this divides paragraphs. */
const extraLeading = 1.3;
/** Distances on a page from which the usual one can be told. */
const fewestDrops = 5;
/** Of the font's height. */
const indent = 0.8;
const listItem = /^(?:[•‣◦▪●○■□–—*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s/iu;
const sentenceEnd = /[.!?:;…。！？؟।۔]["'”’)\]»]*$/u;

function continues(above: Line, line: Line, widest: number, leading: number | undefined): boolean {
  const size = Math.max(above.size, line.size);
  const drop = above.baseline - line.baseline;
  if (above.angle !== line.angle || Math.min(above.size, line.size) < 0.8 * size) return false;
  const greatest = Math.min(extraLeading * (leading ?? usualLeading * size), widestLeading * size);
  if (drop < leastLeading * size || drop > Math.max(greatest, usualLeading * size)) return false;
  if (line.left > above.right || line.right < above.left) return false;
  if (listItem.test(line.text)) return false;
  const endsEarly = above.right < Math.max(widest - 4 * size, line.right - 8 * size);
  if (endsEarly && above.fonts.last !== line.fonts.first && above.fonts.first === above.fonts.last)
    return false;
  if (sentenceEnd.test(above.text) && (endsEarly || line.left > above.left + indent * size)) return false;
  return true;
}

/** The median distance between a line and the one drawn below it and right after it; undefined where there are too few. */
function usualDrop(lines: readonly Line[]): number | undefined {
  const drops: number[] = [];
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1];
    const drop = above && above.angle === line.angle ? above.baseline - line.baseline : 0;
    if (drop >= leastLeading * line.size && drop <= widestLeading * line.size) drops.push(drop);
  }
  drops.sort((a, b) => a - b);
  return drops.length < fewestDrops ? undefined : drops[drops.length >> 1];
}

/** Scripts that are written without spaces between words. */
const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\u3000-\u303f\uff00-\uffef';
const endsUnspaced = new RegExp(`[${unspaced}]$`, 'u');
const startsUnspaced = new RegExp(`^[${unspaced}]`, 'u');
const brokenWord = /\p{L}[-\u00ad\u2010]$/u;

function join(text: string, line: string): string {
  if (brokenWord.test(text.slice(-4)) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line;
  if (endsUnspaced.test(text.slice(-2)) && startsUnspaced.test(line)) return text + line;
  return `${text} ${line}`;
}
