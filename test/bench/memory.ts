import type { Bench } from './bench.ts';
import { importMemory } from './memory/import.ts';
import { exactMatches, fuzzyMatches } from './memory/lookup.ts';
import { paragraphs } from './memory/paragraph.ts';

export const memory: Bench = {
  title: 'A TM of 50,000 segments: import, exact and fuzzy matches; a paragraph in 500,000',
  parts: { import: importMemory, exact: exactMatches, fuzzy: fuzzyMatches, paragraph: paragraphs },
};
