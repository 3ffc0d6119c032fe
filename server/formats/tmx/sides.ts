/** Which variants of a unit are asked for. */
export interface TmxSides {
  isSource(tag: string): boolean;
  isTarget(tag: string): boolean;
  /** As declared: a variant with this very tag, in any case, wins over another that reads the same. */
  sourceTag: string;
  targetTag: string;
}

/** How well a tag fits each side: 0 not at all, 1 it reads the same, 2 it is the declared one. */
export interface Ranks {
  source: number;
  target: number;
}

/** More tags than any file has; what a hostile one has beyond them is looked at again each time. */
const mostKnown = 1000;

/** The ranks of tags, each worked out once. The tag that one side was declared with is never the other's. */
export function createRanking(sides: TmxSides): (tag: string) => Ranks {
  const sourceTag = sides.sourceTag.toLowerCase();
  const targetTag = sides.targetTag.toLowerCase();
  const known = new Map<string, Ranks>();
  const rank = (tag: string): Ranks => {
    const spelled = tag.toLowerCase();
    const isSourceTag = spelled === sourceTag;
    const isTargetTag = spelled === targetTag;
    return {
      source: isSourceTag ? 2 : Number(!isTargetTag && sides.isSource(tag)),
      target: isTargetTag ? 2 : Number(!isSourceTag && sides.isTarget(tag)),
    };
  };
  return (tag) => {
    const before = known.get(tag);
    if (before) return before;
    const ranks = rank(tag);
    if (known.size < mostKnown) known.set(tag, ranks);
    return ranks;
  };
}
