import type { GlyphRun } from './lines.ts';
import type { Cluster } from './shape.ts';

/**
 * What tells poppler that right-to-left text begins here: RIGHT-TO-LEFT EMBEDDING, and POP DIRECTIONAL FORMATTING that
 * ends it at once. In visual order: turned around it is an empty embedding, which changes nothing where it is pasted.
 */
export const turningMark = '\u202c\u202b';

/** Where a turning mark is needed: at the left end of a word, or with something of the word to its left. */
export type TurningPoint = 'wordEnd' | 'inWord';

const space = /^\s/;
/** What poppler's table of character types has as right-to-left: the older letters. */
const rightToLeft = /^[\u05d0-\u05ea\u0620-\u064a\u066e-\u066f\u0671-\u06d3\u06fa-\u06ff\u0710-\u076d]$/;
/** What the table has as left-to-right or as numbers, among them signs that stand in numbers. */
const leftToRight = /^[\p{L}\p{N}#-%+-/:\u00a0\u00a2-\u00a5\u00b0\u00b1\u060c\u066a-\u066c\u2030-\u2034]$/u;
/** What would be torn from its letter, other than brackets, which stay with what is before them. */
const belongsToLetter = /^[\p{M}\p{Cf}]$/u;

/**
 * The clusters that need a turning mark before them, that is, to their left.
 *
 * Poppler finds a line in visual order and turns its right-to-left stretches around. By its rule, one that is simpler
 * than Unicode's, what is of neither direction (spaces, brackets, combining marks, joiners) isn't turned around where
 * nothing right-to-left is to the left of it, which mistakes two things:
 * - with `pdftotext -raw`, which goes word by word, the combining marks at the left end of a word: they would come
 *   before the word that they end;
 * - by default, the space to the left of a number, a full stop or a comma: it would come before them.
 *
 * An embedding control is right-to-left, and the one character that goes unseen in any case: poppler writes it before
 * all right-to-left text by itself, so that whoever compares its output leaves it out. Others drop a code that stands
 * for controls alone (pdf.js), or give it out as the invisible that it is (PDFium).
 */
export function turningPoints(runs: readonly GlyphRun[]): ReadonlyMap<Cluster, TurningPoint> {
  const points = new Map<Cluster, TurningPoint>();
  let wordEnd = true;
  let afterSpace = false;
  let turning = false;
  let waiting: (() => void) | undefined;
  for (const { clusters, rightToLeft: backward } of runs)
    for (const cluster of clusters) {
      const characters = [...cluster.text];
      if (space.test(cluster.text)) {
        wordEnd = true;
        // Spaces inside a left-to-right phrase stay where they are.
        afterSpace = backward;
        turning = false;
        waiting = undefined;
        continue;
      }
      if (backward) characters.reverse();
      if (afterSpace && !rightToLeft.test(characters[0]!)) {
        points.set(cluster, 'wordEnd');
        turning = true;
      }
      const point: TurningPoint = wordEnd ? 'wordEnd' : 'inWord';
      wordEnd = false;
      afterSpace = false;
      for (const character of characters) {
        if (rightToLeft.test(character)) {
          waiting?.();
          waiting = undefined;
          turning = true;
        } else if (leftToRight.test(character)) {
          waiting = undefined;
          turning = false;
        } else if (!turning && backward && (point === 'wordEnd' || belongsToLetter.test(character))) {
          waiting ??= () => points.set(cluster, point);
        }
      }
    }
  return points;
}
