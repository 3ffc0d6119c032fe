/** A piece of a line, as it was drawn. */
export interface Piece {
  text: string;
  /** Where it is along the line, in points; undefined of a blank one. */
  place?: { start: number; end: number; isRightToLeft: boolean };
}

/**
 * The text of a line. Some programs draw right-to-left words as they are read, others glyph by glyph from their left
 * end, and pdf.js turns round only what is inside a piece. So pieces of right-to-left text that follow each other
 * rightwards are turned round; where the next follows leftwards with a gap, there is a space.
 *
 * @param space width of the narrowest gap between words, in points
 */
export function textOfLine(pieces: readonly Piece[], space: number): string {
  let text = '';
  /** Right-to-left pieces, each right of the one before, and where they are. */
  let run: string[] = [];
  let start = 0;
  let end = 0;
  /** Blank pieces after them, which are part of the run if it goes on. */
  let blanks = '';
  const closeRun = (): void => {
    text += run.reverse().join('') + blanks;
    run = [];
    blanks = '';
  };
  for (const piece of pieces) {
    const { place } = piece;
    if (place === undefined) {
      blanks += piece.text;
    } else if (!place.isRightToLeft) {
      closeRun();
      text += piece.text;
    } else if (run.length > 0 && place.start >= end - space) {
      run.push(blanks, piece.text);
      blanks = '';
      end = place.end;
    } else {
      const leftGap = run.length > 0 ? start - place.end : 0;
      closeRun();
      if (leftGap > space && !/\s$/.test(text)) text += ' ';
      run = [piece.text];
      start = place.start;
      end = place.end;
    }
  }
  closeRun();
  return text;
}
