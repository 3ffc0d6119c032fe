import { describe, expect, it } from 'vitest';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { type Asked, agreeable, translatingReply } from '#test/fakes/openai.ts';
import { cipher, issue, longTask, longText, scope, units, useAskedUpstream } from '../live-engine.ts';

const { upstream, asked } = useAskedUpstream();

describe('judges of a long text', () => {
  const candidate = [cipher(longText)];

  it('read each place of source and candidate once, side by side', async () => {
    upstream.fake.otherwise(agreeable);
    await upstream.engine().assess(longTask, candidate, scope);
    const passages = asked().flatMap(({ data }) => data.segments);
    expect(asked().length).toBeGreaterThan(3);
    for (const { data } of asked())
      expect(units(data.segments.flatMap((one) => [one.source, one.translation]))).toBeLessThanOrEqual(
        24_000,
      );
    for (const { source, translation } of passages) expect(translation).toBe(cipher(source));
    expect(units(passages.map(({ source }) => source))).toBe(longText.length);
  });

  const ofFirst = ({ data }: Asked): boolean => data.context_before === undefined;

  it('give the mean of their scores by length, rounded down', async () => {
    upstream.fake.otherwise(translatingReply({ score: (group) => (ofFirst(group) ? 90 : 95) }));
    const { value } = await upstream.engine().assess(longTask, candidate, scope);
    const [first] = asked().filter(ofFirst);
    const share = units(first!.data.segments.map(({ source }) => source)) / longText.length;
    expect(value.score).toBe(Math.floor(95 - 5 * share));
  });

  it('give at most 10 above the worst: a good mean hides no bad part', async () => {
    upstream.fake.otherwise(translatingReply({ score: (group) => (ofFirst(group) ? 40 : 100) }));
    expect((await upstream.engine().assess(longTask, candidate, scope)).value.score).toBe(50);
  });

  it('pass it only if all parts pass', async () => {
    upstream.fake.otherwise(translatingReply({ passed: (group) => !ofFirst(group) }));
    expect((await upstream.engine().verify(longTask, candidate, scope)).value.passed).toBe(false);
    upstream.fake.otherwise(translatingReply({ passed: true }));
    expect((await upstream.engine().verify(longTask, candidate, scope)).value.passed).toBe(true);
  });

  it('list the issues of all groups, the worst first, 100 at most', async () => {
    const critical: QualityIssue = { ...issue, severity: 'critical' };
    const minor = Array.from({ length: 60 }, (): QualityIssue => ({ ...issue, severity: 'minor' }));
    upstream.fake.otherwise(
      translatingReply({ issues: (group) => (ofFirst(group) ? minor : [...minor, critical]) }),
    );
    const { issues } = (await upstream.engine().verify(longTask, candidate, scope)).value;
    expect(issues).toHaveLength(100);
    const criticals = issues.filter(({ severity }) => severity === 'critical').length;
    expect(criticals).toBe(asked().length - 1);
    expect(issues.slice(0, criticals).every(({ severity }) => severity === 'critical')).toBe(true);
  });

  it('choose the candidate that wins most of the source', async () => {
    const other = [longText.toUpperCase()];
    // The other candidate wins all groups, except the group that is judged first.
    let groups = 0;
    const prefer = (texts: string[]): number => {
      const shouted = texts.findIndex((text) => !/[a-z\u0370-\u03ff]/.test(text));
      return ++groups === 1 ? 1 - shouted : shouted;
    };
    upstream.fake.otherwise(translatingReply({ prefer }));
    const { value } = await upstream.engine().compare(longTask, [candidate, other], scope);
    expect(groups).toBeGreaterThan(3);
    expect(value.winner).toBe(1);
  });
});

describe('repair of a long text', () => {
  const candidate = cipher(longText);
  const place = candidate.indexOf('23: ');
  const marked = `${candidate.slice(0, place)}FAULT ${candidate.slice(place)}`;
  const fault: QualityIssue = { ...issue, span: 'FAULT', suggestion: 'MENDED' };
  const vague: QualityIssue = { ...issue, severity: 'minor', span: null, suggestion: null };

  it('asks only about the group with the issue, and keeps the rest to the letter', async () => {
    upstream.fake.otherwise(agreeable);
    const { value } = await upstream.engine().repair(longTask, [marked], [fault, vague], scope);
    expect(value).toEqual([marked.replace('FAULT', 'MENDED')]);
    expect(asked()).toHaveLength(1);
    expect(asked()[0]!.data.issues).toEqual([fault, vague]);
    expect(asked()[0]!.data.segments.every(({ approximate }) => !approximate)).toBe(true);
  });

  it.each([['in the source', '23: The quick']])('finds a span %s', async (_, span) => {
    upstream.fake.otherwise(agreeable);
    await upstream.engine().repair(longTask, [candidate], [{ ...fault, span }], scope);
    expect(asked()).toHaveLength(1);
    expect(
      asked()[0]!
        .data.segments.map(({ source }) => source)
        .join(),
    ).toContain('23: The quick');
  });

  it.each<[string, QualityIssue[]]>([
    ['no issue has a place', [{ ...vague, span: 'nowhere to be found' }]],
    ['no issue is told', []],
    ['an issue without a place is more than minor', [fault, { ...vague, severity: 'major' }]],
  ])('asks about all groups if %s', async (_, issues) => {
    upstream.fake.otherwise(translatingReply({ repair: (text) => text.replaceAll(':', ' –') }));
    const { value } = await upstream.engine().repair(longTask, [marked], issues, scope);
    expect(value).toEqual([marked.replaceAll(':', ' –')]);
    expect(units(asked().flatMap(({ data }) => data.segments.map((one) => one.source)))).toBe(
      longText.length,
    );
  });

  it('keeps every part of a translation that does not fall into the source’s parts', async () => {
    const merged = candidate.replaceAll('\n\n', ' ');
    upstream.fake.otherwise(translatingReply({ repair: (text) => text.replaceAll(':', ' –') }));
    const { value } = await upstream.engine().repair(longTask, [merged], [], scope);
    expect(value).toEqual([merged.replaceAll(':', ' –')]);
    for (const { data } of asked()) {
      for (const { source, translation, approximate } of data.segments) {
        expect(approximate).toBe(true);
        expect(translation.length).toBeLessThanOrEqual(6000);
        expect(source.length).toBeLessThanOrEqual(6000 * 1.1 + 2000);
        // `source` must contain the part of the source text that this passage translates.
        const words = translation.trim().split(' ').slice(0, 3).join(' ');
        expect(cipher(source.replaceAll('\n\n', ' '))).toContain(words);
      }
    }
  });
});
