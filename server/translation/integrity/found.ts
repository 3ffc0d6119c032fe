/** A piece of a text that the translation must keep. */
export interface Found {
  /** Identifies the piece: two pieces with the same key are the same piece, even if their spellings differ. */
  key: string;
  /** The piece as written in the text. */
  span: string;
  /** UTF-16 offsets of the span; the end is exclusive. */
  start: number;
  end: number;
}

export interface Range {
  start: number;
  end: number;
}

/**
 * Returns `text` with the ranges replaced by a filler. The length does not change, so that offsets stay valid. The
 * filler is neither a letter, a digit nor a space.
 * @param ranges in any order; they may overlap
 */
export function blanked(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  const ordered = [...ranges].sort((a, b) => a.start - b.start);
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end } of ordered) {
    if (end <= done) continue;
    const from = Math.max(start, done);
    pieces.push(text.slice(done, from), '\0'.repeat(end - from));
    done = end;
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}

export interface Difference {
  /** Pieces of the source that are missing from the target; each key once. */
  lost: Found[];
  /** Pieces that the target has less often than the source; each key once. */
  rarer: Found[];
  /** Pieces of the target that are missing from the source; each key once. */
  added: Found[];
}

function firstOfEachKey(pieces: readonly Found[]): Map<string, { piece: Found; count: number }> {
  const byKey = new Map<string, { piece: Found; count: number }>();
  for (const piece of pieces) {
    const known = byKey.get(piece.key);
    if (known === undefined) byKey.set(piece.key, { piece, count: 1 });
    else known.count += 1;
  }
  return byKey;
}

export function compared(source: readonly Found[], target: readonly Found[]): Difference {
  const wanted = firstOfEachKey(source);
  const present = firstOfEachKey(target);
  const lost: Found[] = [];
  const rarer: Found[] = [];
  for (const [key, { piece, count }] of wanted) {
    const there = present.get(key)?.count ?? 0;
    if (there === 0) lost.push(piece);
    else if (there < count) rarer.push(piece);
  }
  const added = [...present].filter(([key]) => !wanted.has(key)).map(([, { piece }]) => piece);
  return { lost, rarer, added };
}
