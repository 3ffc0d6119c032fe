import { findPersonalData } from '#server/redaction/entities.ts';
import { readText } from '#server/redaction/readable-text.ts';
import { type Letter, letterKinds, makeLetters, type Planted } from './letters.ts';

/** The figures of the recognizer for made letters. */
export interface Figures {
  /** Planted and found values, by kind. */
  recall: Record<Planted['kind'], { planted: number; found: number }>;
  /** Found places, and those of them without planted data. */
  found: number;
  wrong: number;
  examples: string[];
}

/** Searches letters for their personal data. A value is found if every letter and digit of it is replaced. */
export function figuresOf(letters: readonly Letter[]): Figures {
  const recall = Object.fromEntries(
    letterKinds.map((kind) => [kind, { planted: 0, found: 0 }]),
  ) as Figures['recall'];
  const figures: Figures = { recall, found: 0, wrong: 0, examples: [] };
  const rules = { kinds: [...letterKinds], patterns: [], terms: [] };
  for (const { text, planted, language } of letters) {
    const { text: read } = readText(text);
    const entities = findPersonalData({ passages: [{ texts: [text] }], rules })[0]!.get(text) ?? [];
    const covered = new Set(
      entities.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)),
    );
    const wanted = new Set<number>();
    for (const { kind, text: written } of planted) {
      const { text: value } = readText(written);
      const start = read.indexOf(value);
      const places = [...value].flatMap((unit, at) => (/[\p{L}\p{N}]/u.test(unit) ? start + at : []));
      for (let from = start; from >= 0; from = read.indexOf(value, from + 1))
        for (let at = 0; at < value.length; at++) wanted.add(from + at);
      recall[kind].planted += 1;
      if (places.every((place) => covered.has(place))) recall[kind].found += 1;
      else
        figures.examples.push(
          `${language} missed ${kind}: ${written} in ${read.slice(Math.max(0, start - 30), start + value.length + 20)}`,
        );
    }
    const distinct = new Map(entities.map((entity) => [`${entity.start} ${entity.end}`, entity]));
    for (const { kind, start, end } of distinct.values()) {
      figures.found += 1;
      if (Array.from({ length: end - start }, (_, at) => start + at).some((place) => wanted.has(place)))
        continue;
      figures.wrong += 1;
      figures.examples.push(`${language} wrong ${kind}: ${read.slice(start, end)}`);
    }
  }
  return figures;
}

if (import.meta.main) {
  const { recall, found, wrong, examples } = figuresOf(makeLetters(Number(process.argv[2] ?? 500)));
  for (const [kind, counts] of Object.entries(recall))
    console.log(
      `${kind}: ${counts.found} of ${counts.planted}, ${((100 * counts.found) / counts.planted).toFixed(2)}%`,
    );
  console.log(`false: ${wrong} of ${found}, ${((100 * wrong) / found).toFixed(2)}%`);
  for (const line of examples.slice(0, 60)) console.log(line);
}
