const contextUnits = 500;

/** A stretch of source, and the index of the segment it is of. */
interface Stretch {
  segment: number;
  source: string;
}

/** For each group some 500 UTF-16 units of the source before it; null at the start of a text. */
export function contextsBefore(groups: readonly (readonly Stretch[])[]): (string | null)[] {
  const stretches = groups.flat();
  let start = 0;
  return groups.map(({ length }) => {
    const context = contextBefore(stretches, start);
    start += length;
    return context;
  });
}

function contextBefore(stretches: readonly Stretch[], index: number): string | null {
  let context = '';
  for (let at = index - 1; at >= 0 && context.length < contextUnits; at--) {
    const { segment, source } = stretches[at]!;
    const border = segment === stretches[at + 1]!.segment ? '' : '\n';
    context = source.slice(-contextUnits) + border + context;
  }
  // The cut may leave half a character at the start.
  return context.trim() === '' ? null : context.slice(-contextUnits).toWellFormed();
}
