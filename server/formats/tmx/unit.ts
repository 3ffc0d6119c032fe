import { readChangedate } from './changedate.ts';
import type { Ranks } from './sides.ts';

/** A unit's texts in the two languages that were asked for. */
export interface TmxPair {
  /** Physical line of the `<tu>`, from 1. */
  line: number;
  source: string;
  target: string;
  /** As written. */
  sourceTag: string;
  targetTag: string;
  tuid: string | null;
  /** ISO 8601 in UTC to the second: the unit's, else its target's, else its source's. Null where none can be read. */
  changedate: string | null;
}

/** A `<tuv>` in a language that counts. */
export interface Variant {
  tag: string;
  ranks: Ranks;
  changedate: string | undefined;
  text: string;
}

/** A `<tu>`, and the variants that would be its sides. */
export interface Unit {
  line: number;
  tuid: string | undefined;
  changedate: string | undefined;
  source: Variant | undefined;
  target: Variant | undefined;
}

/** Takes a variant that was read to its end for the sides that no better one has; one without text for neither. */
export function takeVariant(unit: Unit, variant: Variant): void {
  if (!/[^\s\p{White_Space}]/u.test(variant.text)) return;
  if (variant.ranks.source > (unit.source?.ranks.source ?? 0)) unit.source = variant;
  if (variant.ranks.target > (unit.target?.ranks.target ?? 0)) unit.target = variant;
}

/** A unit that was read to its end; undefined where it lacks a side. */
export function pairOf({ line, tuid, changedate, source, target }: Unit): TmxPair | undefined {
  if (!source || !target || source === target) return undefined;
  return {
    line,
    source: source.text,
    target: target.text,
    sourceTag: source.tag,
    targetTag: target.tag,
    tuid: tuid || null,
    changedate:
      readChangedate(changedate) ?? readChangedate(target.changedate) ?? readChangedate(source.changedate),
  };
}
