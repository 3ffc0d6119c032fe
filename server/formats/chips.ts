import type { FormatKind, InlineContent, InlineTag } from './inline-content.ts';

/*
 * The tags of a segment as reviewers see them. A line break or tab is seen as its text; other tags are chips.
 */

/** Whether reviewers see a tag as a chip. */
export function isChip({ text }: InlineTag): boolean {
  return text === undefined || text.trim() !== '';
}

/** Whether a segment has tags that reviewers see as chips. */
export function hasChips(content: InlineContent): boolean {
  return content.some((item) => typeof item !== 'string' && isChip(item));
}

/** A tag or pair of a source, once. */
export interface Chip {
  tag: number;
  isPair: boolean;
  format: FormatKind | undefined;
}

/** Returns the chips of a source, a pair once, in reading order. */
function chipsOf(source: InlineContent): Chip[] {
  return source.flatMap((item) =>
    typeof item === 'string' || item.type === 'close' || !isChip(item)
      ? []
      : [{ tag: item.tag, isPair: item.type === 'open', format: item.format }],
  );
}

/** A chip of the source that a translation lacks, or that overlaps another one. */
export interface ChipProblem extends Chip {
  problem: 'missing' | 'overlaps' | 'empty';
}

/** Finds the chips that a translation lacks, and the pairs that overlap another pair or have no text. */
export function chipProblems(source: InlineContent, target: InlineContent): ChipProblem[] {
  const problems = new Map<number, ChipProblem['problem']>();
  const present = new Set(target.flatMap((item) => (typeof item === 'string' ? [] : [item.tag])));
  const open: { tag: number; hasText: boolean }[] = [];
  for (const item of target) {
    if (typeof item === 'string' || item.type === 'void') {
      if (typeof item !== 'string' || item.trim() !== '') for (const one of open) one.hasText = true;
    } else if (item.type === 'open') open.push({ tag: item.tag, hasText: false });
    else {
      const at = open.findLastIndex(({ tag }) => tag === item.tag);
      if (at < 0) continue;
      if (at < open.length - 1) problems.set(item.tag, 'overlaps');
      else if (!open[at]!.hasText) problems.set(item.tag, 'empty');
      open.splice(at, 1);
    }
  }
  return chipsOf(source).flatMap((chip): ChipProblem[] => {
    const problem = present.has(chip.tag) ? problems.get(chip.tag) : 'missing';
    return problem ? [{ ...chip, problem }] : [];
  });
}
