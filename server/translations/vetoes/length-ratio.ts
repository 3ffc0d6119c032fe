import type { QualityIssue } from '#server/engines/engine.ts';
import { letterWeight, scriptOf } from './script.ts';
import { critical, type TextPair } from './text-pair.ts';

/**
 * A translation that says much less or much more than its source. Lengths are measured in Latin letters
 * (`weightedLength`), which makes one pair of bounds do for all languages.
 */
export function lengthIssue({ source, target, branching }: TextPair): QualityIssue | undefined {
  const from = weightedLength(source);
  const to = weightedLength(target);
  if (from === 0) return undefined;
  if (to === 0) return critical('accuracy', 'The translation is empty.');
  if (branching) return undefined;
  const { least, most } = bounds(from);
  if (to < least)
    return critical('accuracy', `The translation is far too short: ${percent(to, from)}.`, target);
  if (to > most) return critical('accuracy', `The translation is far too long: ${percent(to, from)}.`);
  return undefined;
}

/** From here on, in Latin letters, the sentences of a text even each other out. */
const long = 600;

/**
 * Between which lengths a translation lies. Real ones lie between half and one and a half times their source once that
 * has some hundred letters; the shorter it is, the more they differ.
 */
export function bounds(from: number): { least: number; most: number } {
  const short = Math.min(from, long);
  const rest = from - short;
  return { least: 0.42 * short - 7.5 + 0.55 * rest, most: 2 * short + 30 + 1.7 * rest };
}

/** The visible characters of `text`, each counted as so many Latin letters as it usually stands for. */
export function weightedLength(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit <= 0x20 || (unit >= 0x300 && unit <= 0x36f) || unit === 0xa0 || unit === 0x3000) continue;
    // The second of a pair of surrogates belongs to the first.
    if (unit >= 0xdc00 && unit <= 0xdfff) continue;
    const script = scriptOf(unit);
    length += script === undefined ? 1 : letterWeight(script);
  }
  return length;
}

function percent(to: number, from: number): string {
  return `about ${Math.round((100 * to) / from)} % of what the source's length leads to expect`;
}
