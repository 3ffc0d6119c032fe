import fc from 'fast-check';
import { expect, test } from 'vitest';
import { originalText } from '#server/formats/xliff/content.ts';
import { readXliff } from '#server/formats/xliff/reader.ts';
import { xliffFileHead, xliffFileTail, xliffHead, xliffTail } from '#server/formats/xliff/writer.ts';
import { textVersion } from '#server/review/exchange.ts';
import { readVersion, unitOf } from '#server/review/texts/exchange.ts';
import { codedTexts } from '#server/review/texts/text-codes.ts';
import type { TranslationJob } from '#server/texts/schema.ts';
import { checkXliff } from './core-rules.ts';

const pieces = [
  ...'{name} {{x}} %s %2$d %(a)s #{b} %{c} { } % <b> </b> <br/> </a> < > &lt; \u0001 word مرحبا'.split(' '),
  ...['{n, plural, one {# file} other {# files}}', '<a href="x" title="y">', '<!-- c -->', '\n', ' '],
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme', maxLength: 5 })), {
    maxLength: 30,
  })
  .map((parts) => parts.join('').replaceAll('\0', ''));

const jobOf = (source_text: string, final_translation: string | null) =>
  ({
    id: 'a'.repeat(32),
    request: { source_text, source_lang: 'en', target_lang: 'fr' },
    status: 'awaiting_review',
    final_translation,
    quality_assessment: null,
    verification: null,
    agent_run: { quality_gate: null, human_review_task: null },
    updated_at: '2026-01-02T03:04:05.678Z',
  }) as unknown as TranslationJob;

test('a job’s texts come back as they are, whatever is taken for a code', () => {
  fc.assert(
    fc.property(text, fc.option(text), (source, target) => {
      const head = xliffHead({ sourceLang: 'en', targetLang: 'fr' });
      const file = xliffFileHead({ id: 'f', original: 'f' }, { source: false, target: false });
      const xliff = head + file + unitOf(jobOf(source, target)) + xliffFileTail + xliffTail;
      expect(checkXliff(xliff)).toEqual([]);
      const [unit] = readXliff(Buffer.from(xliff), 'f').units;
      expect(readVersion(unit?.version ?? '')).toEqual({
        updatedAt: '2026-01-02T03:04:05.678Z',
        text: textVersion(target),
      });
      expect(originalText(unit?.source ?? [])).toBe(source);
      // A blank translation of a text that is not blank counts as missing.
      if (target?.trim()) expect(originalText(unit?.target ?? [])).toBe(target);
    }),
    { numRuns: 500 },
  );
});

test('a code of the translation has the id of the source’s code that it repeats, each once', () => {
  const { source, target } = codedTexts(jobOf('{a} and {b} and {a}', '{a}, {a}, {b}, {a}'));
  const idsOf = (content: typeof source | null) =>
    content?.flatMap((item) => (typeof item === 'string' ? [] : [`${item.data}${item.id}`]));
  expect(idsOf(source)).toEqual(['{a}1', '{b}2', '{a}3']);
  expect(idsOf(target)).toEqual(['{a}1', '{a}3', '{b}2', '{a}4']);
});

test('attributes for people stay text, which a translator can change', () => {
  const { source } = codedTexts(jobOf('<img src="a.png" alt="A cat">', null));
  expect(source.filter((item) => typeof item === 'string')).toEqual(['A cat']);
});
