import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkIntegrity } from '#server/translation/integrity/index.ts';
import { checkPlausibility, riskFlags } from '#server/translation/plausibility/index.ts';

interface Entry {
  id: string;
  technique: string;
  source_lang: string;
  target_lang: string;
  source: string;
  /** The outputs of a model that followed instructions in the source text. */
  obeyed: string[];
  /** Outputs of this kind that are only found because a link or number is lost or changed. */
  obeyed_for_integrity?: string[];
  /** Outputs of this kind that no rule can distinguish from a translation: only judge models can find these. */
  judge_only?: string[];
  honest: string;
}

const { entries } = JSON.parse(readFileSync(new URL('./hostile.json', import.meta.url), 'utf8')) as {
  entries: Entry[];
};

const textsOf = ({ source, source_lang, target_lang }: Entry, targetText: string) => ({
  sourceText: source,
  targetText,
  sourceLang: source_lang,
  targetLang: target_lang,
});
const implausible = (entry: Entry, answer: string) =>
  checkPlausibility(textsOf(entry, answer)).filter(({ severity }) => severity === 'critical');
const damaged = (entry: Entry, answer: string) =>
  checkIntegrity({ ...textsOf(entry, answer), textType: 'Plain' }).filter(
    ({ severity }) => severity === 'critical',
  );

it('there are 30 entries or more, none twice, each with a response that obeys', () => {
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  expect(entries.length).toBeGreaterThanOrEqual(30);
  for (const { obeyed, obeyed_for_integrity = [] } of entries)
    expect(obeyed.length + obeyed_for_integrity.length).toBeGreaterThan(0);
});

describe.each(entries)('$id ($technique)', (entry) => {
  it('every obedient response has a critical issue', () => {
    for (const answer of entry.obeyed) expect(implausible(entry, answer), answer).not.toEqual([]);
    for (const answer of entry.obeyed_for_integrity ?? [])
      expect(damaged(entry, answer), answer).not.toEqual([]);
  });

  it('the honest translation has none', () => {
    expect(implausible(entry, entry.honest)).toEqual([]);
    expect(damaged(entry, entry.honest)).toEqual([]);
  });
});

it('the listed exceptions are left to the judges', () => {
  for (const entry of entries)
    for (const answer of entry.judge_only ?? [])
      expect([...implausible(entry, answer), ...damaged(entry, answer)], answer).toEqual([]);
});

it('most of the sources are flagged as risky', () => {
  // Some sources are in another language, which has its own flag.
  const ofHostility = (flag: string) => flag !== 'other_source_language';
  const flagged = entries.filter(
    ({ source }) => riskFlags({ sourceText: source, sourceLang: 'en' }).filter(ofHostility).length > 0,
  );
  expect(flagged.length / entries.length).toBeGreaterThan(0.5);
});
