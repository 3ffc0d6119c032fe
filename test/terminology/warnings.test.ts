import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MAX_TERMINOLOGY_TERMS: '50000' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const pair = { source_lang: 'en', target_lang: 'fr' };
const header = 'source_term,target_term';
const warnings = async (lines: string[], fields: Record<string, string> = pair): Promise<string[]> =>
  (await mine.glossary(lines, fields)).warnings;

describe('an upload returns warnings (C 6)', () => {
  test('none if there is nothing to warn of, and none in the list', async () => {
    const set = await mine.glossary([header, 'ledger,grand livre', '', 'stock,inventaire'], pair);
    expect(set.warnings).toEqual([]);
    const [listed] = await mine.glossaries();
    expect(listed).not.toHaveProperty('warnings');
  });

  test('no header row was recognized: the first row was read as a term', async () => {
    expect(await warnings(['', 'term,translation', 'ledger,grand livre'])).toEqual([
      'no header row was recognized; the first row was read as a term: line 2, “term” → “translation”',
    ]);
  });

  test('rows that were skipped, by their physical lines', async () => {
    const lines = [
      `${header},note`,
      'ledger,grand livre,"two',
      'lines"',
      'stock,',
      ',inventaire',
      '',
      'card,carte',
      ',,alone',
    ];
    expect(await warnings(lines)).toEqual([
      'entries without a source or target term were skipped: lines 4, 5, 8',
    ]);
  });

  test('two targets for one source, of one pair and case rule', async () => {
    const lines = [
      'source,target,target_lang,case_sensitive',
      'May,Mai,de,1',
      'may,dürfen,de,0',
      'stock,Lager,de,0',
      'Stock ,Bestand,de,0',
      'stock,inventaire,fr,0',
      'card,Karte,de,0',
      'card,Karte,de,0',
    ];
    expect(await warnings(lines, { source_lang: 'en' })).toEqual([
      'source terms have more than one target term: “stock” (lines 4, 5)',
    ]);
  });

  test('entries that apply to every language pair', async () => {
    expect(await warnings([header, 'ledger,grand livre', 'stock,inventaire'], {})).toEqual([
      '2 of 2 entries apply to every language pair, because neither the entries nor the upload name languages: lines 2, 3',
    ]);
    expect(await warnings([header, 'ledger,grand livre'], { target_lang: 'fr' })).toEqual([]);
  });

  test('are bounded, whatever the file', async () => {
    const long = (n: number) => `😀${'x'.repeat(300)}`.replace('x', `${n} `);
    const lines = Array.from({ length: 120 }, (_, n) => [`${long(n % 60)},t${n}`, `skipped ${n},`]).flat();
    const told = await warnings(lines, {});
    expect(told).toHaveLength(4);
    for (const warning of told) expect(warning.length).toBeLessThan(3000);
    expect(told.join('\n')).toMatch(/lines 2, 4, .* and 100 more/);
    expect(told.join('\n')).toMatch(/“😀0 x{20,60}…” \(lines 1, 121\).* and 40 more/);
  });
});

describe('a content type that does not fit the file (B 4.4)', () => {
  test('is 415 with the accepted types in its message: curl declares application/octet-stream', async () => {
    const csv = await mine.uploadFile('a,b', pair, { type: 'application/octet-stream' });
    expect(refusal(csv)).toEqual([
      415,
      'the content type "application/octet-stream" of terminology_file does not match a .csv file; send it as text/csv, application/vnd.ms-excel or text/plain',
    ]);
    const tmx = await mine.uploadFile('<tmx/>', pair, { name: 't.tmx', type: 'text/csv' });
    expect(refusal(tmx)[1]).toContain(
      'send it as application/xml, text/xml, application/x-tmx+xml or application/octet-stream',
    );
  });
});
