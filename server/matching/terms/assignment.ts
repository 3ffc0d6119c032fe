import type { TargetSpan } from './target-matches.ts';

/** The occurrences of an expected term in a translation. */
export interface Observed {
  count: number;
  /** At least one match is spelled as in the glossary. */
  asSpelled: boolean;
}

/** Spans with the same matches; they can count for the same expectations. */
interface SpanKind {
  /** By expectation number: whether the term is spelled as in the glossary in these spans. */
  claims: Map<number, boolean>;
  /** By expectation number: how many of these spans count for it. */
  counts: Map<number, number>;
}

/** Limits the search for augmenting paths, which could take very long with nested alternatives. */
const maxSteps = 1_000_000;

/** Assigns each span of a translation to one expectation, so that as many expectations as possible are met. */
export class SpanAssignment {
  readonly #needs: readonly number[];
  readonly #meets: readonly (readonly number[])[];
  /** By expectation: how many spans count for it. */
  readonly #counts: number[];
  /** By target: how many of its `meets`, from the first, are met. An expectation stays met. */
  readonly #met: number[];
  readonly #kinds = new Map<string, SpanKind>();

  /** @param targets each lists the expectations that it meets, by number, in the order in which they receive spans */
  constructor(expected: readonly { count: number }[], targets: readonly { meets: readonly number[] }[]) {
    this.#needs = expected.map(({ count }) => count);
    this.#meets = targets.map(({ meets }) => meets);
    this.#counts = expected.map(() => 0);
    this.#met = targets.map(() => 0);
  }

  /** Counts a span for the first expectation that needs one, or else for the first expectation. */
  assign(matches: TargetSpan['matches']): void {
    const { target } = matches.find((match) => this.#isNeeded(match.target)) ?? matches[0]!;
    const meets = this.#meets[target]!;
    const number = meets[this.#met[target]!] ?? meets[0]!;
    this.#count(this.#kindOf(matches), number, 1);
  }

  /** Returns the counts by expectation. Call it after the last `assign`. */
  settle(): Observed[] {
    if (this.#needs.some((_, number) => this.#isShort(number))) this.#moveSurplus();
    const observed = this.#counts.map((count): Observed => ({ count, asSpelled: false }));
    for (const { claims, counts } of this.#kinds.values())
      for (const [number, count] of counts)
        if (count > 0 && claims.get(number)) observed[number]!.asSpelled = true;
    return observed;
  }

  /** Moves spans from expectations with a surplus to those with too few, along augmenting paths as in bipartite matching. */
  #moveSurplus(): void {
    const claimable = this.#needs.map((): SpanKind[] => []);
    for (const kind of this.#kinds.values())
      for (const number of kind.claims.keys()) claimable[number]!.push(kind);
    const steps = { left: maxSteps };
    // A later search need not visit the expectations that a failed search has reached: they have no surplus.
    const exhausted = new Set<number>();
    for (const short of this.#needs.keys()) {
      while (this.#isShort(short) && !exhausted.has(short)) {
        const path = this.#findPath(short, claimable, exhausted, steps);
        for (const { from, to, kind } of path) {
          this.#count(kind, from, -1);
          this.#count(kind, to, 1);
        }
      }
    }
  }

  /** Returns the shortest chain of moves from a surplus to `short`, found breadth first, or empty. */
  #findPath(
    short: number,
    claimable: readonly (readonly SpanKind[])[],
    exhausted: Set<number>,
    steps: { left: number },
  ): { from: number; to: number; kind: SpanKind }[] {
    const reached = new Map<number, { to: number; kind: SpanKind } | undefined>([[short, undefined]]);
    const visited = new Set<SpanKind>();
    for (const to of reached.keys()) {
      for (const kind of claimable[to]!) {
        if (steps.left-- <= 0) break;
        if (visited.has(kind)) continue;
        visited.add(kind);
        steps.left -= kind.counts.size;
        for (const [from, count] of kind.counts) {
          if (count === 0 || reached.has(from) || exhausted.has(from)) continue;
          reached.set(from, { to, kind });
          if (this.#counts[from]! > this.#needs[from]!) return pathFrom(from, reached);
        }
      }
    }
    for (const number of reached.keys()) exhausted.add(number);
    return [];
  }

  #isShort(number: number): boolean {
    return this.#counts[number]! < this.#needs[number]!;
  }

  #isNeeded(target: number): boolean {
    const meets = this.#meets[target]!;
    let met = this.#met[target]!;
    while (met < meets.length && !this.#isShort(meets[met]!)) met++;
    this.#met[target] = met;
    return met < meets.length;
  }

  #kindOf(matches: TargetSpan['matches']): SpanKind {
    const key = matches.map(({ target, asSpelled }) => (asSpelled ? target : ~target)).join();
    const known = this.#kinds.get(key);
    if (known) return known;
    const kind: SpanKind = { claims: new Map(), counts: new Map() };
    for (const { target, asSpelled } of matches)
      for (const number of this.#meets[target]!)
        kind.claims.set(number, asSpelled || kind.claims.get(number) === true);
    this.#kinds.set(key, kind);
    return kind;
  }

  #count(kind: SpanKind, number: number, added: 1 | -1): void {
    kind.counts.set(number, (kind.counts.get(number) ?? 0) + added);
    this.#counts[number]! += added;
  }
}

/** Returns the moves along the path from the expectation with a surplus to the one that is short. */
function pathFrom(
  surplus: number,
  reached: ReadonlyMap<number, { to: number; kind: SpanKind } | undefined>,
): { from: number; to: number; kind: SpanKind }[] {
  const path: { from: number; to: number; kind: SpanKind }[] = [];
  let from = surplus;
  for (let link = reached.get(from); link !== undefined; link = reached.get(from)) {
    path.push({ from, ...link });
    from = link.to;
  }
  return path;
}
