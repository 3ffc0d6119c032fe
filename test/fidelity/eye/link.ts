import { centerOf, heightOf } from './geometry.ts';
import type { Token } from './tokens.ts';

/** The word of a translation for each word of the source that has one. */
export type Links = ReadonlyMap<Token, Token>;

/**
 * Finds the translation of each word on a page. A word that occurs once names its translation. Words that repeat are
 * linked as neighbours of linked words first, then on the same line, and all others by distance, the nearest first.
 */
export function linkTokens(source: readonly Token[], result: readonly Token[]): Links {
  const links = new Map<Token, Token>();
  const taken = new Set<Token>();
  const link = (from: Token, to: Token): void => {
    links.set(from, to);
    taken.add(to);
  };
  const sources = Map.groupBy(source, nameOf);
  const results = Map.groupBy(result, nameOf);
  for (const [name, [only, ...others]] of sources) {
    const found = results.get(name);
    if (others.length === 0 && found?.length === 1) link(only!, found[0]!);
  }
  // In a list that moves, a repeated word may be in the place of another one, so neighbors come first.
  for (const by of ['order', 'index'] as const) extend(source, result, by, links, taken, link, moveTogether);
  for (const [name, all] of sources) {
    const free = (token: Token): boolean => !links.has(token) && !taken.has(token);
    linkNearest(all.filter(free), (results.get(name) ?? []).filter(free), link, areInPlace);
  }
  for (const by of ['order', 'index'] as const) extend(source, result, by, links, taken, link);
  for (const [name, all] of sources) {
    const free = (results.get(name) ?? []).filter((token) => !taken.has(token));
    linkNearest(
      all.filter((token) => !links.has(token)),
      free,
      link,
    );
  }
  return links;
}

/** A word that was not translated is linked to the same word only. */
function nameOf({ key, isMapped }: Token): string {
  return isMapped ? `+${key}` : `-${key}`;
}

/** Links the neighbours of linked words while they are the same. */
function extend(
  source: readonly Token[],
  result: readonly Token[],
  by: 'order' | 'index',
  links: ReadonlyMap<Token, Token>,
  taken: ReadonlySet<Token>,
  link: (from: Token, to: Token) => void,
  mayLink: (from: Token, to: Token, next: Token, candidate: Token) => boolean = () => true,
): void {
  const sources = source.toSorted((one, other) => one[by] - other[by]);
  const results = result.toSorted((one, other) => one[by] - other[by]);
  const places = new Map(results.map((token, index) => [token, index]));
  for (const step of [1, -1]) {
    const [start, end] = step === 1 ? [0, sources.length] : [sources.length - 1, -1];
    for (let index = start; index !== end; index += step) {
      const [from, next] = [sources[index]!, sources[index + step]];
      const to = links.get(from);
      if (!to || !next || links.has(next)) continue;
      const candidate = results[places.get(to)! + step];
      if (!candidate || taken.has(candidate) || nameOf(candidate) !== nameOf(next)) continue;
      if (mayLink(from, to, next, candidate)) link(next, candidate);
    }
  }
}

/** Whether two words move about as far. Columns may have the same words. */
function moveTogether(from: Token, to: Token, next: Token, candidate: Token): boolean {
  const [one, other] = [
    [from, to],
    [next, candidate],
  ].map(([before, after]) => {
    const [[x1, y1], [x2, y2]] = [centerOf(before!.box), centerOf(after!.box)];
    return [x2 - x1, y2 - y1] as const;
  });
  const height = heightOf(from.box);
  return Math.abs(one![0] - other![0]) < 15 * height && Math.abs(one![1] - other![1]) < 1.5 * height;
}

/** The number of pairs whose distances are compared. Beyond, words are linked in their order. */
const mostPairs = 250_000;

function linkNearest(
  sources: readonly Token[],
  results: readonly Token[],
  link: (from: Token, to: Token) => void,
  mayLink: (source: Token, result: Token) => boolean = () => true,
): void {
  if (sources.length * results.length > mostPairs) {
    for (const [index, source] of sources.entries()) if (results[index]) link(source, results[index]);
    return;
  }
  const pairs = sources.flatMap((source) =>
    results
      .filter((result) => mayLink(source, result))
      .map((result) => ({ source, result, distance: distanceOf(source, result) })),
  );
  const done = new Set<Token>();
  for (const { source, result } of pairs.sort((one, other) => one.distance - other.distance)) {
    if (done.has(source) || done.has(result)) continue;
    done.add(source).add(result);
    link(source, result);
  }
}

/** Whether a word is at most three heights of its line to the side of the other. */
function areInPlace(one: Token, other: Token): boolean {
  const [[x1, y1], [x2, y2]] = [centerOf(one.box), centerOf(other.box)];
  const height = heightOf(one.box);
  return Math.abs(y1 - y2) < 0.6 * height && Math.abs(x1 - x2) < 3 * height;
}

/** Another line is farther away than another place on the same line. */
function distanceOf(one: Token, other: Token): number {
  const [[x1, y1], [x2, y2]] = [centerOf(one.box), centerOf(other.box)];
  return Math.hypot(x1 - x2, 3 * (y1 - y2));
}
