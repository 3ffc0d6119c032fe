import { describe, expect, test } from 'vitest';
import type { ExpectedTerm, TermCompliance } from '#server/matching/terms/index.ts';
import { promptData } from '#server/platform/engines/chat/prompts.ts';
import { termGate, termIssues } from '#server/translation/leverage/terms.ts';
import { writtenMetadata } from '#server/translation/pipeline/text-run.ts';
import { useTestApp } from '#test/setup/app.ts';
import { plainTask as task } from '#test/setup/engine.ts';
import { openSets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const long = (number: number) => `${number} `.padEnd(500, 'x');
const many = (count: number, name: (number: number) => string = long) =>
  Array.from({ length: count }, (_, index) => name(index));

/** A translation that contains each `present` term once, and lacks each `missing` term. */
function compliance(present: readonly string[], missing: readonly string[]): TermCompliance {
  const all = [...present, ...missing];
  return {
    passed: missing.length === 0,
    missing_terms: [...missing],
    expected_target_counts: Object.fromEntries(all.map((term) => [term, 1])),
    observed_target_counts: Object.fromEntries(all.map((term) => [term, missing.includes(term) ? 0 : 1])),
    matched_source_terms: all.map((term) => `source ${term}`),
    inflected_terms: [...present],
  };
}

describe('issues of missing terms', () => {
  test('2000 are 100, the last of which counts the rest, each clipped', () => {
    const issues = termIssues(
      compliance(
        [],
        many(2000, (number) => long(number).repeat(2)),
      ),
      'de',
    );
    expect(issues).toHaveLength(100);
    expect(issues[98]?.suggestion).toMatch(/^Use “98 /);
    expect(issues[99]?.explanation).toMatch(/^1901 more /);
    for (const { explanation, suggestion } of issues) {
      expect(explanation.length).toBeLessThanOrEqual(600);
      expect(suggestion?.length ?? 0).toBeLessThanOrEqual(600);
    }
  });
});

describe('terminology_gate (B 2.6)', () => {
  test('names 200 terms, missing ones first, each clipped, and counts all', () => {
    const present = many(300, (number) => `here ${long(number)}`);
    const missing = many(150, (number) => `gone ${long(number)}`);
    const gate = termGate(compliance(present, missing));
    expect(gate).toMatchObject({ passed: false, terms_total: 450, missing_total: 150 });
    expect(gate.missing_terms).toEqual(missing.map((term) => term.slice(0, 200)));
    for (const counts of [gate.expected_target_counts, gate.observed_target_counts])
      expect(Object.keys(counts)).toEqual(
        [...missing, ...present.slice(0, 50)].map((term) => term.slice(0, 200)),
      );
    expect([gate.matched_source_terms.length, gate.inflected_terms.length]).toEqual([200, 200]);
    expect(JSON.stringify(gate).length).toBeLessThan(250_000);
  });

  test('passed covers all terms, even if the missing one comes after the named ones', () => {
    const present = many(2000, (number) => `here ${number}`);
    const gate = termGate(compliance(present, ['gone']));
    expect([gate.passed, gate.missing_terms, gate.observed_target_counts['gone']]).toEqual([
      false,
      ['gone'],
      0,
    ]);
  });
});

describe('terminology_matches and terminology_entries (B 2.6)', () => {
  const written = (terms: number, alternatives: number) => {
    const entry = (number: number) => ({
      sourceTerm: long(number),
      targetTerm: long(number),
      caseSensitive: false,
      priority: 0,
      setId: 'one',
      setName: 'One',
    });
    const expected = Array.from(
      { length: terms },
      (_, number): ExpectedTerm => ({
        ...entry(number),
        targetTerms: [long(number), ...many(alternatives)],
        count: 1,
      }),
    );
    const matches = expected.map((_, start) => ({
      start,
      end: start + 1,
      entries: [entry(start)] as [ReturnType<typeof entry>],
    }));
    return (
      writtenMetadata({ matches, expected, whole: [], check: async () => compliance([], []) }, null, null) ??
      {}
    );
  };

  test('have 40,000 units of terms each at most, none of them clipped', () => {
    for (const list of Object.values(written(200, 3)) as { source_term: string }[][]) {
      expect(list.length).toBeGreaterThan(10);
      expect(JSON.stringify(list).length).toBeLessThan(50_000);
      expect(list.at(-1)?.source_term).toHaveLength(500);
    }
  });

  test('2000 alternatives of one term do not hide it', () => {
    const [match] = written(1, 2000)['terminology_matches'] as { target_terms: string[] }[];
    expect(match?.target_terms).toHaveLength(20);
  });
});

describe('a prompt', () => {
  test('has five targets of a term, the preferred first', () => {
    const { glossary } = promptData({ ...task, glossary: [{ source: 'term', targets: many(2000) }] });
    expect(glossary).toEqual([{ source: 'term', targets: many(5) }]);
  });

  test('has 20,000 units of glossary, earlier terms first', () => {
    const terms = many(200).map((source) => ({ source, targets: [source] }));
    expect(promptData({ ...task, glossary: terms }).glossary).toEqual(terms.slice(0, 20));
  });

  test('has ten examples of 40,000 units together, none of them clipped', () => {
    const short = Array.from({ length: 12 }, () => ({ source: 'a', target: 'b', similarity: 0.9 }));
    expect(promptData({ ...task, examples: short }).examples).toHaveLength(10);
    const page = { source: 'a'.repeat(15_000), target: 'b'.repeat(15_000), similarity: 0.9 };
    const told = promptData({ ...task, examples: [page, page, ...short] }).examples;
    expect(told?.map(({ source }) => source.length)).toEqual([15_000, ...Array(8).fill(1)]);
  });
});

test('a text of 2000 terms with the longest targets that a glossary may have has a bounded response, which is held back', async () => {
  const mine = await openSets(app);
  const words = many(2000, (number) => `t${number}`);
  await mine.glossary(words.map((word) => `${word},${`${word} `.padEnd(90, 'y')}`));
  const job = await mine.job({ source_text: words.join(' ') });
  expect(job.status).toBe('awaiting_review');
  expect(job.request.metadata.terminology_gate).toMatchObject({
    passed: false,
    terms_total: 2000,
    missing_total: 2000,
  });
  expect(job.agent_run.quality_gate.metadata.terminology_gate).toEqual(job.request.metadata.terminology_gate);
  expect(JSON.stringify(job).length).toBeLessThan(700_000);
});
