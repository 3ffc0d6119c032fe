import type { Line } from './pdf-lines.ts';

/**
 * Returns the text of a page. Joins the lines of each paragraph, and separates paragraphs by blank lines. Two
 * consecutive lines belong to one paragraph if they have about the same font size, if one is below the other, and if
 * their distance is that of lines of text. There are three exceptions: the lower line starts like a list item; the
 * upper line is a heading; the upper line ends a sentence, and it is short or the lower line is indented.
 */
export function joinLines(lines: readonly Line[]): string {
  const paragraphs: string[] = [];
  let text = '';
  let widest = 0;
  const leading = usualLineDistance(lines);
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

/**
 * As shares of the font's height: the minimum line distance in a paragraph, the default of the usual line distance, and
 * the maximum line distance.
 */
const minLeading = 0.6;
const usualLeading = 1.5;
const maxLeading = 3;
/** The maximum line distance in a paragraph, as a factor of the page's usual line distance. */
const extraLeading = 1.3;
/** The minimum number of line distances from which the usual line distance of a page is determined. */
const minLineDistances = 5;
/** The minimum indent of a paragraph's first line, as a share of the font's height. */
const indent = 0.8;
const listItem = /^(?:[•‣◦▪●○■□–—*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s/iu;
const sentenceEnd = /[.!?:;…。！？؟।۔]["'”’)\]»]*$/u;

function continues(above: Line, line: Line, widest: number, leading: number | undefined): boolean {
  const size = Math.max(above.size, line.size);
  const drop = above.baseline - line.baseline;
  if (above.angle !== line.angle || Math.min(above.size, line.size) < 0.8 * size) return false;
  const greatest = Math.min(extraLeading * (leading ?? usualLeading * size), maxLeading * size);
  if (drop < minLeading * size || drop > Math.max(greatest, usualLeading * size)) return false;
  if (line.left > above.right || line.right < above.left) return false;
  if (listItem.test(line.text)) return false;
  const endsEarly = above.right < Math.max(widest - 4 * size, line.right - 8 * size);
  if (endsEarly && above.fonts.last !== line.fonts.first && above.fonts.first === above.fonts.last)
    return false;
  if (sentenceEnd.test(above.text) && (endsEarly || line.left > above.left + indent * size)) return false;
  return true;
}

/**
 * Returns the median distance of consecutive lines below each other; undefined if the page has too few of these
 * distances.
 */
function usualLineDistance(lines: readonly Line[]): number | undefined {
  const drops: number[] = [];
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1];
    const drop = above && above.angle === line.angle ? above.baseline - line.baseline : 0;
    if (drop >= minLeading * line.size && drop <= maxLeading * line.size) drops.push(drop);
  }
  drops.sort((a, b) => a - b);
  return drops.length < minLineDistances ? undefined : drops[drops.length >> 1];
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
