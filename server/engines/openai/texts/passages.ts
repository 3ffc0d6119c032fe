import { paragraphEnd } from './cut-text.ts';
import { groupConsecutive } from './groups.ts';

const lineEnd = /\n\s*/g;

/**
 * Versions of one text (a source and its translations) cut into passages that say the same: consecutive rows, with a
 * version each, whose joined columns are the versions again to the letter. A row weighs at most `most` where the texts
 * allow. They are cut between lines where all have equally many, else between paragraphs likewise, else not at all: a
 * cut in the wrong place would make a judge see omissions where there are none.
 *
 * Time and memory are linear in the texts' lengths.
 */
export function alignPassages(
  versions: readonly string[],
  weigh: (row: readonly string[]) => number,
  most: number,
): (readonly string[])[] {
  if (weigh(versions) <= most) return [versions];
  const rows = pairUp(versions, lineEnd) ?? pairUp(versions, paragraphEnd);
  if (!rows) return [versions];
  return groupConsecutive(rows, weigh, most).map((group) =>
    versions.map((_, column) => group.map((row) => row[column]!).join('')),
  );
}

function pairUp(versions: readonly string[], end: RegExp): string[][] | undefined {
  const columns = versions.map((text) => cutBehind(text, end));
  const height = columns[0]!.length;
  if (columns.some(({ length }) => length !== height)) return undefined;
  return Array.from({ length: height }, (_, row) => columns.map((column) => column[row]!));
}

/** Parts that end with what the expression matches. Blank ends of the text are no parts of their own. */
function cutBehind(text: string, end: RegExp): string[] {
  const from = text.length - text.trimStart().length;
  const to = text.trimEnd().length;
  const parts: string[] = [];
  let start = 0;
  for (const { index, 0: gap } of text.matchAll(end)) {
    if (index < from || index >= to) continue;
    parts.push(text.slice(start, index + gap.length));
    start = index + gap.length;
  }
  return [...parts, text.slice(start)];
}
