import { describe, expect, test } from 'vitest';
import { type CandidateText, findCandidates } from '#server/matching/candidates/index.ts';

const find = (
  texts: readonly (string | CandidateText)[],
  options: Partial<Parameters<typeof findCandidates>[0]> = {},
) =>
  findCandidates({
    texts: texts.map((text) => (typeof text === 'string' ? { source: text, target: null } : text)),
    language: 'en',
    targetLanguage: 'de',
    minCount: 2,
    limit: 50,
    ...options,
  });
const terms = (...of: Parameters<typeof find>) => find(...of).map(({ term }) => term);

describe('candidates for terms', () => {
  test('are noun groups, with their forms, and no words of general language', () => {
    const found = find([
      'The notice period is two months for the Landlord.',
      'During the notice period, viewings are allowed twice a week.',
      'Notice periods of 30 days apply to parking spaces. The other notice period is longer.',
      'Without a notice period, the contract ends on the last day.',
    ]);
    expect(found[0]).toMatchObject({
      term: 'notice period',
      count: 5,
      forms: [
        { form: 'notice period', count: 4 },
        { form: 'notice periods', count: 1 },
      ],
      texts: [0, 1, 2, 3],
      isName: false,
    });
    expect(found.map(({ term }) => term)).not.toContain('the notice period');
    expect(found.map(({ term }) => term)).not.toContain('notice');
  });

  test('are not verbs, adjectives or parts of longer terms', () => {
    const found = terms([
      'Install the boot loader on the disk. You can install the kernel.',
      'To install the graphical boot loader, restart the computer.',
      'Install a kernel. The boot loader starts the kernel. A large disk is better.',
      'Install the large disk. Remove the disk from the computer.',
    ]);
    expect(found).toContain('boot loader');
    expect(found).toContain('kernel');
    for (const wrong of ['install', 'boot', 'loader', 'large']) expect(found).not.toContain(wrong);
  });

  test('count a text that is repeated once, and have at least the wanted number of occurrences', () => {
    const title = 'The service charge';
    expect(terms([title, title, title, title])).toEqual([]);
    expect(terms([title, 'A service charge is due.'])).toEqual(['service charge']);
    expect(terms([title, 'A service charge is due.'], { minCount: 3 })).toEqual([]);
  });

  test('leave out known terms in any form and letter case', () => {
    const texts = [
      'The service charge is due.',
      'Pay the service charges.',
      'Ask the guarantor.',
      'A guarantor signs.',
    ];
    expect(terms(texts)).toEqual(['service charge', 'guarantor']);
    expect(terms(texts, { known: ['service charges'] })).toEqual(['guarantor']);
  });

  test('are names if they have capital letters within sentences', () => {
    const found = find([
      'Book the Harbour Stay+.',
      'Your Harbour Stay+ is over.',
      'The deposit. Pay the deposit.',
      'A Deposit is due',
    ]);
    const byTerm = new Map(found.map(({ term, isName }) => [term.toLowerCase(), isName]));
    expect(byTerm.get('harbour stay+')).toBe(true);
    expect(byTerm.get('deposit')).toBe(false);
  });

  test('have the words as proposed translations that occur with them and not without them', () => {
    const pairs: [string, string][] = [
      ['The notice period is long.', 'Die Kündigungsfrist ist lang.'],
      ['A notice period applies to the lease.', 'Für den Mietvertrag gilt eine Kündigungsfrist.'],
      ['The lease ends after the notice period.', 'Der Mietvertrag endet nach der Kündigungsfrist.'],
      ['The lease is long.', 'Der Mietvertrag ist lang.'],
    ];
    const found = find(pairs.map(([source, target]) => ({ source, target })));
    const targetOf = (term: string) => found.find((one) => one.term === term)?.targets[0];
    expect(targetOf('notice period')).toMatchObject({ target: 'Kündigungsfrist', count: 3, score: 1 });
    expect(targetOf('lease')).toMatchObject({ target: 'Mietvertrag', count: 3 });
  });

  test('are found after articles with an apostrophe, and keep one inside', () => {
    const texts = [
      "L'adresse de la carte d'identité.",
      "Avec l'adresse, la carte d'identité.",
      'Une adresse et une carte d’identité.',
    ];
    const found = find(texts, { language: 'fr' });
    expect(found.map(({ term }) => term)).toEqual(expect.arrayContaining(["carte d'identité", 'adresse']));
  });

  test('are found in languages without spaces', () => {
    const texts = ['契約期間は二年です。', '契約期間を延長します。', '契約期間の終了。'];
    expect(
      terms(texts, { language: 'ja', targetLanguage: null }).some((term) => term.includes('契約期間')),
    ).toBe(true);
  });

  test('take linear time: a hostile text of 300,000 words ends within seconds', () => {
    const at = performance.now();
    find(['the lease of '.repeat(50_000), 'a'.repeat(200_000), `${'x'.repeat(3)} `.repeat(30_000)]);
    // Words that could all be forms of each other, and a text whose words are all different.
    find([
      Array.from({ length: 30_000 }, (_, at) => `the abc${'abcdefghij'[at % 10]}${at.toString(36)}`).join(
        '. ',
      ),
    ]);
    find([Array.from({ length: 100_000 }, (_, at) => (at * 7919).toString(36)).join(' ')]);
    expect(performance.now() - at).toBeLessThan(20_000);
  });
});
