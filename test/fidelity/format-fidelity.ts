import type { Finding } from '#server/formats/document.ts';

/** A format whose translated files are compared with their sources. Each has a module of its own. */
export interface FormatFidelity {
  title: string;
  /** Says in Markdown what the columns of the tables mean. */
  notes: string;
  /** The program that opens the translated files, or null if it is not installed. */
  judge: string;
  /** Translates each file of the corpus as the stub engine does, and compares the result with it. */
  measure(): Promise<FileFidelity[]>;
  /** Which of the files the judge opens and shows with every translated text; null if it is not installed. */
  open(files: readonly FileFidelity[]): Map<string, boolean> | null;
}

/** What the comparison of one file gave. */
export interface FileFidelity {
  name: string;
  translated: Uint8Array;
  /** Texts to translate that a walk over the source finds, without the engine. */
  found: number;
  /** How many of them stand in the translated file once, translated, at their place. */
  translatedOnce: number;
  /** Texts that stay as they are, by where they stand. */
  kept: Counts;
  parts: number;
  /** Parts whose compressed bytes differ. All others are the same. */
  changedParts: number;
  /** What is compared inside the changed parts. */
  comparisons: Comparison[];
  findings: Finding[];
}

export type Counts = ReadonlyMap<string, number>;

/** Things of one kind, as lists that should be equal. */
export interface Comparison {
  kind: string;
  before: readonly string[];
  after: readonly string[];
}

export function isSame({ before, after }: Comparison): boolean {
  return before.length === after.length && before.every((each, index) => each === after[index]);
}

/** Counts equal strings, in the order of their first occurrence. */
export function countEach(values: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
