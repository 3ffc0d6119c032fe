import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sentencesIn } from '#server/matching/sentences/index.ts';

const read = (name: string) =>
  readFileSync(new URL(`../../corpus/sentences/${name}`, import.meta.url), 'utf8');
const divided = (text: string, language: string) =>
  sentencesIn(text, language).map(({ start, end }) => text.slice(start, end));

describe('Golden Rules of pragmatic_segmenter', () => {
  const cases: { language: string; name: string; text: string; sentences: string[] }[] = JSON.parse(
    read('golden-rules.json'),
  );
  const letters = (sentences: string[]) =>
    sentences.map((sentence) => sentence.replace(/\s/g, '')).filter(Boolean);

  it('agree except in 12 of 134 cases', () => {
    expect(cases).toHaveLength(134);
    const different = cases
      .filter(
        ({ text, language, sentences }) =>
          letters(divided(text, language)).join('\n') !== letters(sentences).join('\n'),
      )
      .map(({ language, name }) => `${language} ${name.replace(/^.*#/, '')}`);
    expect(different).toEqual([
      // A colon ends no sentence here, a comma even less.
      'ar 001',
      'ar 004',
      'ar 005',
      // "6 P.M. Mr. Smith" and "5 a.m. Mr. Smith" look the same.
      'da 018',
      // A single line break does not end a sentence.
      'da 042',
      // The full stop before three spaced ones ends the sentence there, the fourth one here.
      'da 051',
      // A full stop without a space is part of names such as "System.Out".
      'da 052',
      'en 018',
      'en 042',
      'en 051',
      'en 052',
      // The next word is in lower case.
      'el 001',
    ]);
  });
});

describe('200 sentences of real texts', () => {
  const blocks = read('real-texts.txt')
    .split(/^# /m)
    .slice(1)
    .map((block) => {
      const [head, ...sentences] = block.trim().split('\n');
      const [language, half] = (head as string).split(' ');
      return { language: language as string, half, sentences };
    });

  /** The wrong and the missing ends, as the text around them. */
  function differences(half: string): string[] {
    return blocks
      .filter((block) => block.half === half)
      .flatMap(({ language, sentences }) => {
        const text = sentences.join(language === 'ja' ? '' : ' ');
        const found = new Set(divided(text, language));
        const expected = new Set(sentences);
        return [...[...found].filter((s) => !expected.has(s)), ...sentences.filter((s) => !found.has(s))];
      });
  }

  it('has 25 sentences in each of 8 languages', () => {
    const counts = Map.groupBy(blocks, ({ language }) => language);
    expect(counts.size).toBe(8);
    expect(blocks.flatMap(({ sentences }) => sentences)).toHaveLength(200);
  });

  it('divides the first half', () => {
    expect(differences('first')).toEqual([
      // "I" can begin a sentence.
      '"How did you know what I was doing?"',
      'I cried.',
      '"How did you know what I was doing?" I cried.',
    ]);
  });

  it('divides the second half', () => {
    expect(differences('second')).toEqual([
      // "C." can be an initial.
      '*Orquestación* se define como la ejecución de un flujo de trabajo definido: haz A, luego B y entonces C. Kubernetes está compuesto de un conjunto de procesos de control independientes y combinables entre si que llevan el estado actual hacia el estado deseado.',
      '*Orquestación* se define como la ejecución de un flujo de trabajo definido: haz A, luego B y entonces C.',
      'Kubernetes está compuesto de un conjunto de procesos de control independientes y combinables entre si que llevan el estado actual hacia el estado deseado.',
    ]);
  });
});
