import { describe, expect, test } from 'vitest';
import type { LanguageCode } from '#server/languages.ts';
import { checkTerms, compileTerms, expectTerms, type GlossaryEntry } from '#server/matching/terms/index.ts';

const entry = (sourceTerm: string, targetTerm: string, more: Partial<GlossaryEntry> = {}): GlossaryEntry => ({
  ...{ sourceTerm, targetTerm, caseSensitive: false, priority: 0 },
  ...more,
});
const forbidden = { status: 'forbidden' } as const;
const allowed = { status: 'allowed' } as const;

function check(entries: GlossaryEntry[], source: string, target: string, language: LanguageCode = 'es') {
  const expected = expectTerms(compileTerms(entries, 'en').find(source));
  return checkTerms(expected, target, language);
}

const deposit = [
  entry('deposit', 'depósito', forbidden),
  entry('deposit', 'fianza'),
  entry('deposit', 'garantía', allowed),
  entry('deposit', 'señal', forbidden),
];

describe('an allowed target is accepted like the preferred one', () => {
  test.each([
    ['the preferred one', 'Pague la fianza y la fianza.', true],
    ['one of each: the counts are summed', 'Pague la fianza y la garantía.', true],
    ['the allowed one only', 'Pague la garantía y la garantía.', true],
    ['one occurrence too few', 'Pague la garantía.', false],
  ])('%s', (_, target, passed) => {
    const compliance = check(deposit, 'Pay the deposit and the deposit.', target);
    expect([compliance.passed, Object.keys(compliance.expected_target_counts)]).toEqual([passed, ['fianza']]);
  });

  test('also with a lower priority, and it is not used before a preferred one', () => {
    const entries = [entry('fee', 'honorario', { ...allowed, priority: 9 }), entry('fee', 'tarifa')];
    const matcher = compileTerms(entries, 'en');
    expect(expectTerms(matcher.find('The fee'))[0]?.targetTerms).toEqual(['tarifa', 'honorario']);
    expect(matcher.whole('fee')[0]?.targetTerm).toBe('tarifa');
  });
});

describe('a forbidden target', () => {
  test.each([
    ['next to the preferred one', 'La fianza es un depósito.', ['depósito']],
    ['in another form', 'La fianza: dos depósitos.', ['depósito']],
    ['several', 'La fianza, depósito o señal.', ['depósito', 'señal']],
    ['none', 'La fianza.', []],
  ])('is found: %s', (_, target, found) => {
    const { passed, forbidden_terms: terms = [] } = check(deposit, 'The deposit.', target);
    expect([passed, terms.map(({ term }) => term)]).toEqual([found.length === 0, found]);
    for (const { found: words } of terms) expect(target).toContain(words);
    for (const term of terms) expect(term).toMatchObject({ source_term: 'deposit', use: 'fianza' });
  });

  test('blocks inside a compound only if the compound surely has it as a part', () => {
    const inGerman = (term: string, target: string) =>
      check([entry('user', term, forbidden)], 'The user.', target, 'de').passed;
    expect(inGerman('Benutzer', 'Das Benutzerkonto.')).toBe(false);
    expect(inGerman('Bild', 'Der Bildschirm.')).toBe(true);
    expect(inGerman('Benutzer', 'Der Datenbankbenutzername.')).toBe(true);
  });

  test('counts only if its source term is in the source', () => {
    expect(check(deposit, 'The rent.', 'El depósito.').passed).toBe(true);
  });

  test('does not count inside a longer target term, but outside of it', () => {
    const entries = [...deposit, entry('security deposit', 'depósito de garantía')];
    const source = 'A deposit and a security deposit';
    expect(check(entries, source, 'Una fianza y un depósito de garantía').passed).toBe(true);
    expect(check(entries, source, 'Una fianza, un depósito y un depósito de garantía')).toMatchObject({
      passed: false,
      missing_terms: [],
      forbidden_terms: [{ term: 'depósito' }],
    });
  });

  test('does not use up the words of a target term in it', () => {
    const entries = [entry('total', 'suma neta', forbidden), entry('total', 'suma')];
    expect(check(entries, 'The total', 'La suma neta')).toMatchObject({
      missing_terms: [],
      forbidden_terms: [{ term: 'suma neta', use: 'suma' }],
    });
  });

  test('may be the target of another source term in the same text', () => {
    const entries = [...deposit, entry('warehouse', 'depósito')];
    expect(check(entries, 'The deposit of the warehouse', 'La fianza del depósito').passed).toBe(true);
  });

  test('may be an inflected form of a target term', () => {
    const entries = [entry('goods', 'Ware'), entry('goods', 'Waren', forbidden)];
    expect(check(entries, 'The goods', 'Die Ware', 'de').passed).toBe(true);
    expect(check(entries, 'The goods', 'Die Waren', 'de').forbidden_terms).toMatchObject([{ term: 'Waren' }]);
  });

  test('alone requires no term, and never translates a whole text', () => {
    const entries = [entry('deposit', 'depósito', forbidden)];
    expect(check(entries, 'The deposit', 'La fianza')).toMatchObject({ passed: true, missing_terms: [] });
    expect(check(entries, 'The deposit', 'El depósito').forbidden_terms).toMatchObject([{ use: null }]);
    expect(compileTerms(entries, 'en').whole('deposit')).toEqual([]);
  });

  test.each([
    [1, 0, true],
    [0, 1, false],
  ])('of one and the same target, the higher priority counts (%i, %i)', (permits, forbids, passed) => {
    const entries = [
      entry('deposit', 'fianza', { priority: permits }),
      entry('deposit', 'fianza', { ...forbidden, priority: forbids }),
    ];
    expect(check(entries, 'deposit', 'fianza').passed).toBe(passed);
  });
});

test('thousands of forbidden terms are found in one pass', () => {
  const entries = Array.from({ length: 1000 }, (_, index) => entry('word', `palabra ${index}`, forbidden));
  const compliance = check(entries, 'word', 'palabra 999 '.repeat(500));
  expect(compliance.forbidden_terms).toHaveLength(1);
});
