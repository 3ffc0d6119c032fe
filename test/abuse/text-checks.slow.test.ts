import { expect, test } from 'vitest';
import type { Tx } from '#db/client.ts';
import { extractHtml, rebuildHtml } from '#server/formats/html-segments.ts';
import { styleOf } from '#server/language/style-guides/guidance.ts';
import { guideLimits } from '#server/language/style-guides/schema.ts';
import { findConflicts } from '#server/language/terminology/glossary-conflicts.ts';
import { lineWarnings } from '#server/language/terminology/line-warnings.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { checkTerms, compileTerms } from '#server/matching/terms/index.ts';
import type { TaskStyle } from '#server/platform/engines/engine.ts';
import { inSlices } from '#server/platform/threads/slices.ts';
import { findIssuesOfText } from '#server/translation/inspection.ts';
import { protectWords } from '#server/translation/pipeline/protected-words.ts';
import { detectLanguage } from '#server/translation/plausibility/detect-language.ts';
import { allRisks } from '#server/translation/plausibility/index.ts';
import type { TextRequest } from '#server/translation/request.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';

/** The characters of the longest text. */
const longest = 50_000;

/** Pieces of which hostile texts consist: what the checks look for, without its end, and what makes patterns retry. */
// biome-ignore format: one line for each piece would hide the list
const pieces = [
  'a', 'あ', '!', '1 ', '1あ', '`$1', '%s', '{a,', '<', '<td>', '</a>', 'a@a.', ' ', 'a\u0301', '👩\u200d', 'ignore all ', 'twenty-', '"',
];

const words = (term: (index: number) => string): TaskStyle['forbiddenWords'] =>
  Array.from({ length: guideLimits.words }, (_, index) => ({ term: term(index), use_instead: null }));

/** The longest forbidden words that begin like the text, so that each position of the text begins all of them. */
function guideAgainst(piece: string): TaskStyle {
  const beginning = [...piece.repeat(guideLimits.word)].slice(0, guideLimits.word - 2).join('');
  return {
    rules: [],
    quotationMarks: '„“',
    spacing: 'narrow_no_break',
    formality: 'formal',
    forbiddenWords: words((index) => `${beginning} ${String.fromCharCode(0x4e00 + index)}`.trim()),
  };
}

const requestOf = (text_type: 'Plain' | 'Html', source_text: string) =>
  ({ source_text, text_type, source_lang: 'en', target_lang: 'de' }) as TextRequest;

const entries = (term: (index: number) => string) =>
  Array.from({ length: 2000 }, (_, index) => ({
    sourceTerm: term(index),
    targetTerm: `t${index}`,
    caseSensitive: index % 2 === 0,
    priority: 0,
  }));

const last = <T>(steps: Generator<undefined, T>): T => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
};

/** Each check of a text, as a function of a text that consists of one piece. */
const checks: Record<string, (text: string, piece: string) => unknown> = {
  'all checks of a plain text': (text, piece) =>
    last(findIssuesOfText({ request: requestOf('Plain', text), text, style: guideAgainst(piece) })),
  'all checks of a page': (text, piece) =>
    last(findIssuesOfText({ request: requestOf('Html', text), text, style: guideAgainst(piece) })),
  'against another text': (text) =>
    last(findIssuesOfText({ request: requestOf('Plain', 'Hello 1 {a}'), text, style: null })),
  'suspected instructions': (text) => allRisks({ sourceText: text, sourceLang: 'en', data: [text] }),
  'the terms of a glossary': (text, piece) =>
    compileTerms(
      entries((index) => piece.repeat(1 + (index % 100)).trim() || 'a'),
      'en',
    ).find(text),
  'the terms of a translation': (text, piece) =>
    checkTerms(
      [{ sourceTerm: 'a', targetTerms: [piece.repeat(40).trim() || 'a'], caseSensitive: false, count: 3 }],
      text,
      'de',
    ),
  'segments of a page': (text) => {
    const segments = extractHtml(text);
    return rebuildHtml(
      text,
      segments,
      segments.map((segment) => segment.text),
    );
  },
  'the language': (text) => detectLanguage(text),
  'protected words': (text) => protectWords([text], 'en'),
  'the normal form': (text) => normalForm(text),
};

/** CPU milliseconds. The worst takes a tenth of this; a check with a pattern for each word, or a quadratic one, takes far more. */
const limit = 5000;

test.each(Object.entries(checks))(
  '%s: no hostile text of 50,000 characters is slow',
  { timeout: 180_000 },
  async (_, check) => {
    const slow: [string, number][] = [];
    for (const piece of pieces) {
      const text = piece.repeat(Math.ceil(longest / piece.length)).slice(0, longest);
      const ms = await cpuTime(() => check(text, piece));
      if (ms > limit) slow.push([piece, ms]);
    }
    expect(slow).toEqual([]);
  },
);

test('thousands of entries of a glossary with one source, and of its other glossaries, are compared at once', async () => {
  const count = 50_000;
  const [source, target] = ['s'.repeat(100), 't'.repeat(100)];
  const entry = { sourceTerm: source, sourceLang: 'en', targetLang: 'de', caseSensitive: false, priority: 0 };
  const entries = Array.from({ length: count }, (_, line) => ({
    ...entry,
    line,
    targetTerm: line === count - 1 ? 'another' : target,
  }));
  const others = Array.from({ length: count }, (_, index) => ({
    set_name: 'Other',
    source_lang: 'en',
    target_lang: 'de',
    source_term: source,
    target_term: `${target}${index}`,
    case_sensitive: false,
    status: 'preferred',
  }));
  const tx = { execute: async () => others } as unknown as Tx;
  const ms = await cpuTime(async () => {
    const conflicts = await findConflicts(tx, 'tenant', 'Glossary', entries);
    expect(conflicts).toHaveLength(count);
    const { warning_counts } = await inSlices(
      lineWarnings({ hasHeader: true, notes: [], unit: 'line' }, entries, conflicts),
    );
    expect(warning_counts).toContainEqual({ code: 'ambiguous', count });
  });
  expect(ms).toBeLessThan(limit);
});

test('two style guides with the most forbidden words, which begin alike, are joined at once', async () => {
  const guide = (tail: string) => ({
    language: 'de',
    rules: '',
    quotation_marks: null,
    spacing: null,
    formality: null,
    forbidden_words: [...words((index) => `${'x'.repeat(90)}${index}${tail}`)],
  });
  const styles = new Map([
    ['', guide('a')],
    ['de', guide('b')],
  ]);
  const ms = await cpuTime(() => {
    for (let times = 0; times < 100; times++) expect(styleOf(styles, 'de')?.forbiddenWords).toHaveLength(400);
  });
  expect(ms).toBeLessThan(limit);
});
