import type { Entity } from './numbers.ts';
import { placeholderWords, type RedactedKind } from './rules.ts';

const words = Object.values(placeholderWords).join('|');

/** Returns a pattern of placeholders, also of those in capitals, or directly behind a letter of another script: “وPerson_1”. */
export const placeholders = () => new RegExp(`(?<![A-Za-z0-9_])(${words})_(\\d{1,9})(?!\\d)`, 'giu');

/** Returns the placeholders of a text as they are written. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(placeholders())].map(([written]) => written);
}

/** A value that a placeholder replaces. */
export interface Value {
  placeholder: string;
  kind: RedactedKind;
  gender: Entity['gender'];
  /** The value as it was written first, without tags. */
  written: string;
  /** Whether it is a part of a value, and no value in other texts. */
  isPart?: true;
}
