import type { TargetSpan } from './target-matches.ts';

/** How an expected term occurs in a translation. */
export interface Observed {
  count: number;
  /** Whether the term is spelled as in the glossary in at least one occurrence. */
  asSpelled: boolean;
}

/** Spans of the translation at which the same target terms match. They can count for the same expectations. */
interface SpanKind {
  /**
   * The expectations for which such a span can count, by number, each with whether its term is spelled as in the
   * glossary.
   */
  claims: Map<number, boolean>;
  /** How many of these spans count for each expectation, by its number. */
  counts: Map<number, number>;
}

/**
 * The maximum number of steps when spans are reassigned. Without a limit, this could take very long with nested
 * alternatives.
 */
const maxSteps = 1_000_000;

/**
 * Assigns each span of a translation to one expectation, such that as many expectations as possible are met. An
 * expectation is a source term that requires a number of target terms.
 */
export class SpanAssignment {
  readonly #needs: readonly number[];
  readonly #meets: readonly (readonly number[])[];
  /** For each expectation, how many spans count for it. */
  readonly #counts: number[];
  /**
   * For each target term, how many expectations at the start of its `meets` list are already met. An expectation that
   * is met stays met.
   */
  readonly #met: number[];
  readonly #kinds = new Map<string, SpanKind>();

  /**
   * @param targets the target terms. `meets` contains the numbers of the expectations that a target term meets, in the
   *   order in which they receive spans
   */
  constructor(expected: readonly { count: number }[], targets: readonly { meets: readonly number[] }[]) {
    this.#needs = expected.map(({ count }) => count);
    this.#meets = targets.map(({ meets }) => meets);
    this.#counts = expected.map(() => 0);
    this.#met = targets.map(() => 0);
  }

  /**
   * Counts a span for the first expectation that still needs one. If none does, counts it for the first expectation of
   * the first match.
   */
  assign(matches: TargetSpan['matches']): void {
    const { target } = matches.find((match) => this.#isNeeded(match.target)) ?? matches[0]!;
    const meets = this.#meets[target]!;
    const number = meets[this.#met[target]!] ?? meets[0]!;
    this.#count(this.#kindOf(matches), number, 1);
  }

  /** Returns the result for each expectation. Call it after the last `assign`. */
  settle(): Observed[] {
    if (this.#needs.some((_, number) => this.#isShort(number))) this.#moveSurplus();
    const observed = this.#counts.map((count): Observed => ({ count, asSpelled: false }));
    for (const { claims, counts } of this.#kinds.values())
      for (const [number, count] of counts)
        if (count > 0 && claims.get(number)) observed[number]!.asSpelled = true;
    return observed;
  }

  /**
   * Moves spans from expectations with too many spans to expectations with too few, along augmenting paths as in
   * bipartite matching.
   */
  #moveSurplus(): void {
    const claimable = this.#needs.map((): SpanKind[] => []);
    for (const kind of this.#kinds.values())
      for (const number of kind.claims.keys()) claimable[number]!.push(kind);
    const steps = { left: maxSteps };
    // The expectations that an unsuccessful search has reached. They have no surplus, so later searches need not visit
    // them.
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

  /**
   * Returns the shortest sequence of moves that takes a span from an expectation with too many and gives one to
   * `short`. The search is breadth first. Returns an empty list if there is no such sequence.
   */
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

/** Returns the moves along a path, from the expectation with too many spans to the one with too few. */
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
