import type { Finding } from '../../document.ts';
import { breakLines } from '../../typesetting/lines.ts';
import type { TextBlock } from '../text-block.ts';
import { type Frame, linesBetween, lineWidths } from './fit.ts';
import { type Languages, shapeTarget } from './frames.ts';
import type { Fitting } from './shrink.ts';
import { truncateRuns } from './styled-text.ts';

/** Truncates a text such that it fits with an ellipsis at its end. */
export function truncate(
  block: TextBlock,
  { fit, frame }: Fitting,
  languages: Languages,
): { frame: Frame; finding: Finding } {
  const { runs, paragraphs } = frame.text;
  const plain = runs.map(({ text }) => text).join('');
  const endOfRoom = (): number => {
    let rest = fit.lines;
    let offset = 0;
    for (const [index, { shaped }] of paragraphs.entries()) {
      const lines = breakLines(shaped, lineWidths(frame, fit, index === 0));
      if (lines.length > rest) return offset + (lines[rest - 1]?.end ?? 0);
      rest -= lines.length;
      offset += shaped.text.length + 1;
    }
    return offset;
  };
  let length = Math.min(plain.length, endOfRoom());
  for (;;) {
    const text = shapeTarget(truncateRuns(runs, length, block.style), block, languages);
    if (length === 0 || linesBetween({ ...frame, text }, fit) <= fit.lines) {
      const size = formatPoints(frame.size * fit.scale);
      const left = plain.slice(0, length).trimEnd().length;
      const [all, shown] = [runs, text.runs].map((list) => list.filter(({ moved }) => moved).length);
      const signs = all! - shown!;
      const lost = signs === 0 ? '' : `; ${signs === 1 ? '1 sign is' : `${signs} signs are`} not shown`;
      const message = `the translation is cut after ${left} of ${plain.length} characters, because no more text fits at the minimum size of ${size} pt${lost}`;
      return {
        frame: { ...frame, text },
        finding: { severity: 'warning', code: 'text_truncated', message, unitId: block.id },
      };
    }
    length = shorter(plain, length);
  }
}

/**
 * Returns the offset of the text's end without its last word. If there is only one word, returns the offset without its
 * last grapheme.
 */
function shorter(text: string, length: number): number {
  const before = text.slice(Math.max(0, length - 40), length).trimEnd();
  const word = before.search(/\s\S*$/u);
  if (word > 0) return length - (Math.min(40, length) - word);
  const last = [...new Intl.Segmenter('und').segment(before)].at(-1);
  return Math.max(0, length - Math.min(40, length) + (last?.index ?? 0));
}

/** Formats a size in points, for messages to users. */
export function formatPoints(size: number): string {
  return String(Number(size.toFixed(1)));
}
