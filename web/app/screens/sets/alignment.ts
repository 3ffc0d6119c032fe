import { isUnspaced } from '#server/languages.ts';
import { findNumbers } from '#server/translation/integrity/numbers.ts';

/*
 * The links of two aligned files, while a member checks them. Links are in the order of both files, and together they have
 * every sentence once. All functions return a new list, and `undo` returns the former one.
 */

/** Sentences that belong together. One without a pair has no sentences on the other side. */
export interface Link {
  readonly sources: readonly string[];
  readonly targets: readonly string[];
  /** From 0 to 1; 1 for a link that the member made. */
  readonly confidence: number;
  /** The member's decision; undefined: the confidence decides. */
  readonly decision?: 'accepted' | 'skipped' | undefined;
  /** The texts that are stored instead of the sentences. */
  readonly edited?: { readonly source: string; readonly target: string } | undefined;
}

/** A change of the list: the links that it replaced, and the number of those that are there now. */
interface Change {
  readonly at: number;
  readonly before: readonly Link[];
  readonly after: number;
}

export interface Alignment {
  readonly links: readonly Link[];
  /** The changes that can be undone, the latest last. */
  readonly changes: readonly Change[];
}

/** The number of changes that can be undone. */
const maxChanges = 1000;

/** Maximum UTF-16 units of a text that the service stores as one side of a pair. */
export const maxText = 20_000;

export type LinkStatus = 'accepted' | 'check' | 'single' | 'skipped';

export interface Languages {
  source: string;
  target: string;
}

export const isPair = ({ sources, targets }: Link) => sources.length > 0 && targets.length > 0;

/** Returns the texts of a link, as they are stored. */
export function textsOf({ sources, targets, edited }: Link, languages: Languages) {
  const join = (sentences: readonly string[], code: string) => sentences.join(isUnspaced(code) ? '' : ' ');
  return edited ?? { source: join(sources, languages.source), target: join(targets, languages.target) };
}

/** The numbers that only one side has, with those of the same link; links never change. */
const figures = new WeakMap<Link, { source: string[]; target: string[] }>();

/** Returns the numbers of each side that the other side does not have. */
export function differingFigures(link: Link): { source: string[]; target: string[] } {
  const known = figures.get(link);
  if (known) return known;
  const found = isPair(link) ? compareFigures(link) : { source: [], target: [] };
  figures.set(link, found);
  return found;
}

function compareFigures({ sources, targets, edited }: Link) {
  const [source, target] = [edited?.source ?? sources.join(' '), edited?.target ?? targets.join(' ')];
  if (!/\p{Nd}/u.test(source) && !/\p{Nd}/u.test(target)) return { source: [], target: [] };
  const [ours, theirs] = [findNumbers(source), findNumbers(target)];
  const others = (numbers: typeof ours, than: typeof ours) => {
    const values = new Set(than.flatMap((number) => [number.span, ...number.values]));
    return numbers
      .filter(({ span, values: own }) => !values.has(span) && !own.some((value) => values.has(value)))
      .map(({ span }) => span);
  };
  return { source: others(ours, theirs), target: others(theirs, ours) };
}

/** Whether the figures of both sides differ, so that no confidence is enough to accept the link. */
export function hasDifferingFigures(link: Link): boolean {
  const { source, target } = differingFigures(link);
  return source.length > 0 && target.length > 0;
}

/** @param least the confidence from which links are accepted, from 0 to 1 */
export function statusOf(link: Link, least: number): LinkStatus {
  if (link.decision === 'skipped') return 'skipped';
  if (!isPair(link)) return 'single';
  if (link.decision === 'accepted') return 'accepted';
  return link.confidence >= least && !hasDifferingFigures(link) ? 'accepted' : 'check';
}

function replace({ links, changes }: Alignment, at: number, count: number, by: readonly Link[]): Alignment {
  const change = { at, before: links.slice(at, at + count), after: by.length };
  return { links: links.toSpliced(at, count, ...by), changes: [...changes.slice(1 - maxChanges), change] };
}

/** Reverts the latest change. Returns the former list, and the place of the change. */
export function undo({ links, changes }: Alignment): { alignment: Alignment; at: number } | undefined {
  const last = changes.at(-1);
  if (!last) return undefined;
  return {
    alignment: {
      links: links.toSpliced(last.at, last.after, ...last.before),
      changes: changes.slice(0, -1),
    },
    at: last.at,
  };
}

/** Accepts a link with a pair, or skips a link; once more takes the decision back. Undefined if nothing changes. */
export function decide(
  alignment: Alignment,
  at: number,
  decision: NonNullable<Link['decision']>,
): Alignment | undefined {
  const link = alignment.links[at];
  if (!link || (decision === 'accepted' && (!isPair(link) || link.decision === decision))) return undefined;
  const next = link.decision === decision ? undefined : decision;
  return replace(alignment, at, 1, [{ ...link, decision: next }]);
}

/** Replaces the texts of a link with a pair, and accepts it. Undefined if a text is empty or too long. */
export function edit(
  alignment: Alignment,
  at: number,
  edited: NonNullable<Link['edited']>,
): Alignment | undefined {
  const link = alignment.links[at];
  const isPossible = ({ length }: string) => length > 0 && length <= maxText;
  if (!link || !isPair(link)) return undefined;
  if (![edited.source.trim(), edited.target.trim()].every(isPossible)) return undefined;
  return replace(alignment, at, 1, [{ ...link, edited, decision: 'accepted' }]);
}

/** Divides a link with a pair into its sentences. Undefined if it has none. */
export function unlink(alignment: Alignment, at: number): Alignment | undefined {
  const link = alignment.links[at];
  if (!link || !isPair(link)) return undefined;
  return replace(alignment, at, 1, [
    ...link.sources.map((source): Link => ({ sources: [source], targets: [], confidence: 0 })),
    ...link.targets.map((target): Link => ({ sources: [], targets: [target], confidence: 0 })),
  ]);
}

/**
 * Links a row with the nearest row after or before it that has what it lacks. Links between them keep the order of both
 * files: so a pair between them is in the way. Undefined without such a row, or if the texts would be too long.
 * @returns the alignment, and the place of the new link
 */
export function link(
  alignment: Alignment,
  at: number,
  direction: 1 | -1,
): { alignment: Alignment; at: number } | undefined {
  const { links } = alignment;
  const row = links[at];
  if (!row) return undefined;
  for (let other = at + direction; links[other] && Math.abs(other - at) <= maxDistance; other += direction) {
    const found = links[other]!;
    const hasMissing =
      isPair(row) || (row.sources.length === 0 ? found.sources.length > 0 : found.targets.length > 0);
    if (!hasMissing) continue;
    const [first, last] = [Math.min(at, other), Math.max(at, other)];
    const joined = join(links.slice(first, last + 1));
    if (!joined) return undefined;
    return {
      alignment: replace(alignment, first, last - first + 1, joined.links),
      at: first + joined.at,
    };
  }
  return undefined;
}

/** Rows between two that can be linked. */
const maxDistance = 50;

/** Joins the first and the last of some links, and puts those between them before or after. Undefined if they are in the way. */
function join(links: readonly Link[]): { links: Link[]; at: number } | undefined {
  const [first, last] = [links[0]!, links.at(-1)!];
  const before: Link[] = [];
  const after: Link[] = [];
  for (const between of links.slice(1, -1)) {
    const places = (['sources', 'targets'] as const).flatMap((side) => {
      if (between[side].length === 0) return [];
      const isAfter = first[side].length > 0;
      return isAfter && last[side].length > 0 ? ['between'] : isAfter ? ['after'] : ['before'];
    });
    if (places.includes('between') || new Set(places).size > 1) return undefined;
    (places[0] === 'after' ? after : before).push(between);
  }
  const joined: Link = {
    sources: [...first.sources, ...last.sources],
    targets: [...first.targets, ...last.targets],
    confidence: 1,
    decision: 'accepted',
  };
  const lengths = [joined.sources, joined.targets].map((side) =>
    side.reduce((sum, { length }) => sum + length + 1, 0),
  );
  if (Math.max(...lengths) > maxText) return undefined;
  return { links: [...before, joined, ...after], at: before.length };
}
