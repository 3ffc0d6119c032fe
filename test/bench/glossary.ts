import { readdirSync, readFileSync } from 'node:fs';
import type { LanguageCode } from '#server/languages.ts';
import {
  checkTerms,
  compileTerms,
  type ExpectedTerm,
  type GlossaryEntry,
} from '#server/matching/terms/index.ts';
import { declaration } from '#test/formats/golden-declaration.ts';
import { median, requirePremise } from './load.ts';
import { pick, type Random, seededRandom, shuffled } from './seeded-random.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 15);
const warmUp = 10;
const textLength = 50_000;
const texts = new URL('../../examples/texts/', import.meta.url);

/** With the target for 2000 terms and 50,000 characters, in ms. */
const sources: readonly [LanguageCode, number][] = [
  ['en', 20],
  ['ja', 60],
  ['th', 60],
];

/**
 * Finding the terms of a glossary in a text, compiled each time, beside one regular expression per term; and
 * checking a translation against 200 expected terms. Texts and terms are real ones: paragraphs in another order, words and word
 * pairs of other paragraphs. No database; what loading adds is `glossary-load`'s.
 */
export async function benchGlossary(print: (line: string) => void): Promise<void> {
  for (const [language, target] of sources) {
    const { text, terms } = materialOf(language, 2000);
    const entries = terms.map(
      (sourceTerm, at): GlossaryEntry => ({
        sourceTerm,
        targetTerm: `target ${at}`,
        caseSensitive: at % 10 === 0,
        priority: at % 50 === 0 ? 1 : 0,
      }),
    );
    const compiling = measure(() => compileTerms(entries, language));
    const matcher = compileTerms(entries, language);
    requirePremise(matcher.find(text).length > 100, `terms of ${language} occur in the text`);
    const both = measure(() => compileTerms(entries, language).find(text));
    print(
      `${language}: 2000 terms, ${textLength} characters, ${matcher.find(text).length} matches: ${ms(both)}, of it compiling ${ms(compiling)} ms   (target ${target}; the first time ${both.first.toFixed(0)})`,
    );
    const growth = [0.25, 0.5, 1, 2, 4].map((times) => {
      const longer = text.repeat(4).slice(0, times * textLength);
      return measure(() => matcher.find(longer)).median;
    });
    print(
      `    finding in 12,500 to 200,000 characters: ${growth.map((time) => time.toFixed(1)).join(', ')} ms`,
    );
  }
  requirePremise(byExpressions(materialOf('en', 2000)) > 100, 'the expressions find terms');
  print(
    `en, one expression a term beside it: ${ms(measure(() => byExpressions(materialOf('en', 2000))))} ms`,
  );
  for (const language of ['de', 'ru', 'fi', 'ar', 'hi', 'ja'] as const) {
    const { text, terms } = materialOf(language, 200);
    const expected = terms.map(
      (term, at): ExpectedTerm => ({
        sourceTerm: `source ${at}`,
        targetTerms: [term],
        caseSensitive: at % 10 === 0,
        count: 2,
      }),
    );
    const checking = measure(() => checkTerms(expected, text, language));
    print(
      `${language}: 200 expected terms in a translation of ${textLength} characters: ${ms(checking)} ms   (the first time ${checking.first.toFixed(0)})`,
    );
  }
}

function measure(work: () => unknown): { median: number; first: number } {
  const times = Array.from({ length: warmUp + rounds }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return { median: median(times.slice(warmUp)), first: times[0]! };
}

function ms({ median: time }: { median: number }): string {
  return time.toFixed(1);
}

function byExpressions({ text, terms }: { text: string; terms: readonly string[] }): number {
  return terms
    .map((term) => new RegExp(`(?<!\\w)${term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?!\\w)`, 'giu'))
    .reduce((sum, expression) => sum + (text.match(expression)?.length ?? 0), 0);
}

/** A text of half of the language's paragraphs, and terms of the other half. */
export function materialOf(language: LanguageCode, count: number): { text: string; terms: string[] } {
  const random = seededRandom(6);
  const paragraphs = [...declaration(language).split('\n'), ...exampleOf(language).split('\n')].filter(
    (line) => line !== '',
  );
  const half = shuffled(paragraphs, random);
  const mine = half.splice(0, Math.ceil(half.length / 2));
  let text = '';
  while (text.length < textLength) text += `${pick(mine, random)}\n`;
  return { text: text.slice(0, textLength), terms: termsOf(half, language, count, random) };
}

function exampleOf(language: LanguageCode): string {
  const file = readdirSync(texts).find((name) => name.startsWith(`${language}-`) && name.endsWith('.txt'));
  return file === undefined ? '' : readFileSync(new URL(file, texts), 'utf8');
}

/** Single words, and sequences of two and three adjacent words. */
function termsOf(lines: readonly string[], language: LanguageCode, count: number, random: Random): string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  const terms = new Set<string>();
  for (const line of lines) {
    const segments = [...segmenter.segment(line)];
    for (const [at, { isWordLike }] of segments.entries()) {
      if (!isWordLike) continue;
      for (const length of [1, 2, 3, 4, 5]) {
        const run = segments.slice(at, at + length);
        if (run.at(-1)?.isWordLike !== true) continue;
        if (run.some(({ isWordLike, segment }) => !isWordLike && segment !== ' ')) continue;
        terms.add(run.map(({ segment }) => segment).join(''));
      }
    }
  }
  return shuffled([...terms], random).slice(0, count);
}
