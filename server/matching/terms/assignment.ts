import type { Stretch } from './target-matches.ts';

/** What a translation has of one expected term. */
export interface Observed {
  count: number;
  /** Somewhere it stands as the glossary spells it. */
  asSpelled: boolean;
}

/** Stretches with the same sightings, which may count for the same expectations. */
interface Kind {
  /** The expectations, by number, and whether such a stretch has their term as it is spelled. */
  claims: Map<number, boolean>;
  /** How many such stretches count for which expectation. */
  counts: Map<number, number>;
}

/** Stretches are passed on in at most so many steps: alternatives of alternatives could make it long. */
const mostSteps = 1_000_000;

/** Which expectation each stretch of a translation counts for, one each. */
export class Allotment {
  readonly #needs: readonly number[];
  readonly #meets: readonly (readonly number[])[];
  /** By expectation, how many stretches count for it. */
  readonly #counts: number[];
  /** By target, how many of `meets`, from the first, have all they need: what is met stays met, and is passed over once. */
  readonly #met: number[];
  readonly #kinds = new Map<string, Kind>();

  /** @param targets with the expectations that each meets, by number, those first that get a stretch first */
  constructor(expected: readonly { count: number }[], targets: readonly { meets: readonly number[] }[]) {
    this.#needs = expected.map(({ count }) => count);
    this.#meets = targets.map(({ meets }) => meets);
    this.#counts = expected.map(() => 0);
    this.#met = targets.map(() => 0);
  }

  /** Counts a stretch for the first expectation that still needs it; where none does, for the first of all. */
  allot(sightings: Stretch['sightings']): void {
    const { target } = sightings.find((sighting) => this.#isNeeded(sighting.target)) ?? sightings[0]!;
    const meets = this.#meets[target]!;
    const number = meets[this.#met[target]!] ?? meets[0]!;
    this.#count(this.#kindOf(sightings), number, 1);
  }

  /** By expectation, when every stretch has been allotted. */
  settle(): Observed[] {
    if (this.#needs.some((_, number) => this.#isShort(number))) this.#passOn();
    const observed = this.#counts.map((count): Observed => ({ count, asSpelled: false }));
    for (const { claims, counts } of this.#kinds.values())
      for (const [number, count] of counts)
        if (count > 0 && claims.get(number)) observed[number]!.asSpelled = true;
    return observed;
  }

  /**
   * Passes stretches on to expectations that have too few, from those that have too many, along chains of expectations that
   * may claim each other's: augmenting paths, as in bipartite matching.
   */
  #passOn(): void {
    const claimable = this.#needs.map((): Kind[] => []);
    for (const kind of this.#kinds.values())
      for (const number of kind.claims.keys()) claimable[number]!.push(kind);
    const steps = { left: mostSteps };
    // What a search in vain has reached can give nothing to any later one.
    const inVain = new Set<number>();
    for (const short of this.#needs.keys()) {
      while (this.#isShort(short) && !inVain.has(short)) {
        const path = this.#findPath(short, claimable, inVain, steps);
        for (const { from, to, kind } of path) {
          this.#count(kind, from, -1);
          this.#count(kind, to, 1);
        }
      }
    }
  }

  /** The stretches to pass on, breadth first, so that few are; none where nobody has one too many. */
  #findPath(
    short: number,
    claimable: readonly (readonly Kind[])[],
    inVain: Set<number>,
    steps: { left: number },
  ): { from: number; to: number; kind: Kind }[] {
    const reached = new Map<number, { to: number; kind: Kind } | undefined>([[short, undefined]]);
    const looked = new Set<Kind>();
    for (const to of reached.keys()) {
      for (const kind of claimable[to]!) {
        if (steps.left-- <= 0) break;
        if (looked.has(kind)) continue;
        looked.add(kind);
        steps.left -= kind.counts.size;
        for (const [from, count] of kind.counts) {
          if (count === 0 || reached.has(from) || inVain.has(from)) continue;
          reached.set(from, { to, kind });
          if (this.#counts[from]! > this.#needs[from]!) return pathFrom(from, reached);
        }
      }
    }
    for (const number of reached.keys()) inVain.add(number);
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

  #kindOf(sightings: Stretch['sightings']): Kind {
    const key = sightings.map(({ target, asSpelled }) => (asSpelled ? target : ~target)).join();
    const known = this.#kinds.get(key);
    if (known) return known;
    const kind: Kind = { claims: new Map(), counts: new Map() };
    for (const { target, asSpelled } of sightings)
      for (const number of this.#meets[target]!)
        kind.claims.set(number, asSpelled || kind.claims.get(number) === true);
    this.#kinds.set(key, kind);
    return kind;
  }

  #count(kind: Kind, number: number, added: 1 | -1): void {
    kind.counts.set(number, (kind.counts.get(number) ?? 0) + added);
    this.#counts[number]! += added;
  }
}

/** From the expectation that has one too many, back to the one that was short. */
function pathFrom(
  surplus: number,
  reached: ReadonlyMap<number, { to: number; kind: Kind } | undefined>,
): { from: number; to: number; kind: Kind }[] {
  const path: { from: number; to: number; kind: Kind }[] = [];
  let from = surplus;
  for (let link = reached.get(from); link !== undefined; link = reached.get(from)) {
    path.push({ from, ...link });
    from = link.to;
  }
  return path;
}
