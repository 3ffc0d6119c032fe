import { clip } from '#server/formats/text.ts';
import type { FoundPlaceholders } from '#server/language/text-rules/placeholders.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { compared, type Found } from './found.ts';
import { invented, missing, rarer } from './placeholder-losses.ts';

/** The patterns of a workspace, and what they match in the segments of a source. */
export interface OwnPlaceholders {
  patterns: readonly string[];
  found: FoundPlaceholders;
}

/** Maximum number of different placeholders of a text that are protected, and of issues about them. */
const most = 100;

/** Maximum UTF-16 units of a placeholder in an issue. */
const maxSpan = 200;

/** Returns the different placeholders of a source, the longest first: one can be a part of another. */
export function differentPlaceholders(own: OwnPlaceholders | undefined): string[] {
  const all = [...new Set(own?.found?.flat())].slice(0, most);
  return all.sort((one, other) => other.length - one.length);
}

/** Returns what a model is told about the placeholders of a segment. */
export const placeholderNote = (keep: readonly string[] = []): string | null =>
  keep.length === 0 ? null : `placeholders: ${keep.join(', ')}`;

/**
 * Returns an issue for each placeholder that a translation lacks, has less often, or has although the source lacks it; as
 * for other placeholders, a translation with the first or last kind is never published without review.
 */
export function ownPlaceholderIssues(source: readonly string[], target: readonly string[]): QualityIssue[] {
  const { lost, rarer: fewer, added } = compared(source.map(foundOf), target.map(foundOf));
  return [...lost.map(missing), ...added.map(invented), ...fewer.map(rarer)].slice(0, most);
}

const foundOf = (text: string): Found => ({ key: text, span: clip(text, maxSpan), start: 0, end: 0 });
