import { beforeEach, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

async function preview(
  lines: string[] | object,
  fields: Fields = { source_lang: 'en', target_lang: 'fr' },
  headers = mine.headers,
) {
  const isCsv = Array.isArray(lines);
  const content = isCsv ? lines.join('\n') : JSON.stringify(lines);
  const { status, body } = await viaRpc(
    app,
    { path: 'terminology.previewUpload', type: 'mutation' },
    {
      input: {
        file_name: isCsv ? 'a.csv' : 'a.json',
        content: Buffer.from(content).toString('base64'),
        name: 'New',
        ...fields,
      },
      headers,
    },
  );
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}

/** The codes of the warnings with their lines. */
const codesOf = (body: Awaited<ReturnType<typeof preview>>) =>
  body.line_warnings.map(({ code, line }: Fields) => `${code} ${line}`);
const header = 'source,target,case_sensitive';

describe('a preview warns about', () => {
  test.each<[what: string, lines: string[], codes: string[]]>([
    ['nothing', ['invoice,facture', 'Bank,banque'], []],
    ['different targets of a term', ['a b,x', 'A  B,y', 'A B,z,yes'], ['ambiguous 2', 'ambiguous 3']],
    ['the same term again', ['invoice,facture', 'invoice,facture'], ['duplicate 3']],
    ['terms that differ only in case', ['invoice,facture', 'Invoice,facture'], ['case_variant 3']],
    ['no terms whose case matters', ['May,mai,yes', 'may,pouvoir,yes'], []],
    ['equal source and target', ['KapiMart,KapiMart'], ['same 2']],
    ['common words', ['The,le', 'IT,TI,yes', 'it,il,yes', 'in the,dans le'], ['common 2', 'common 4']],
    ['single letters and digits', ['x,y', '7,sept', '+,plus', '京,capitale'], ['short 2', 'short 3']],
    ['sentences', [`${'word '.repeat(21)},mot`, `word,${'é'.repeat(100)}`], ['long 2']],
    ['spaces within quotes', ['" invoice ",facture', 'order , commande'], ['trimmed 2']],
    ['missing terms', ['invoice,', ',x', 'a b,c'], ['skipped 2', 'skipped 3']],
  ])('%s', async (_, lines, codes) => {
    expect(codesOf(await preview([header, ...lines]))).toEqual(codes);
  });

  test('unused columns and keys by name', async () => {
    expect(
      (await preview([`${header},Context,,Tags`, 'invoice,facture,,x,y,z'])).line_warnings,
    ).toMatchObject([
      { code: 'unused', line: null, name: 'Context' },
      { code: 'unused', line: null, name: 'Tags' },
    ]);
    const json = { author: 'x', terms: [{ source: 'invoice', target: 'facture', id: 1 }, { source: 'x' }] };
    expect((await preview(json)).line_warnings).toMatchObject([
      { code: 'skipped', line: 1, place: 'terms[1]' },
      { code: 'unused', name: 'author' },
      { code: 'unused', name: 'id' },
    ]);
  });

  test('the first 20 of each kind, with the number of all', async () => {
    const lines = Array.from({ length: 25 }, (_, n) => `word ${n},word ${n}`);
    const body = await preview([header, ...lines, 'a b,'], {});
    expect(body.line_warnings).toHaveLength(1 + 20 + 20);
    expect(body.warning_counts).toEqual([
      { code: 'skipped', count: 1 },
      { code: 'same', count: 25 },
      { code: 'every_pair', count: 25 },
    ]);
    expect(body.line_warnings.at(-1)).toMatchObject({ code: 'every_pair', line: 21, source_term: 'word 19' });
  });
});

describe('a conflict with another glossary', () => {
  const conflictsOf = async (...args: Parameters<typeof preview>) =>
    (await preview(...args)).line_warnings
      .filter(({ code }: Fields) => code === 'conflict')
      .map(({ line, other_target, other_set }: Fields) => `${line} ${other_target} ${other_set}`);

  test('is the same source with another target, for texts of the same languages', async () => {
    await mine.glossary(['Crédit,credit', 'État,état'], {
      name: 'German',
      source_lang: 'de',
      target_lang: 'fr',
    });
    await mine.glossary([header, 'invoice,note', 'État,état', 'ledger,livre,yes'], {
      ...{ name: 'Finance', source_lang: 'en', target_lang: 'fr' },
    });
    await mine.glossary(['anywhere,partout'], { name: 'Any' });
    const lines = [
      header,
      'Invoice,facture',
      'ÉTAT,state',
      'crédit,crédit',
      'ledger,livre',
      'anywhere,ailleurs',
    ];
    expect(await conflictsOf(lines)).toEqual(['2 note Finance', '3 état Finance', '6 partout Any']);
    expect(await conflictsOf(lines, { source_lang: 'en', target_lang: 'de' })).toEqual(['6 partout Any']);
    // Terms for any language are compared with those of every pair.
    expect(await conflictsOf([header, 'Crédit,x'], {})).toEqual(['2 credit German']);
  });

  test('names the glossary that was changed last, because its translation is used', async () => {
    for (const [name, target] of [
      ['First', 'note'],
      ['Second', 'addition'],
    ])
      await mine.glossary([`invoice,${target}`], { name: name!, source_lang: 'en', target_lang: 'fr' });
    expect(await conflictsOf([header, 'invoice,facture'])).toEqual(['2 addition Second']);
    expect(await conflictsOf([header, 'invoice,note'])).toEqual([]);
  });

  test('is not one with the glossary that is replaced, of another case rule, or of another workspace', async () => {
    await mine.glossary(['invoice,note'], { name: 'New', source_lang: 'en', target_lang: 'fr' });
    await mine.glossary([header, 'May,mai,yes'], { name: 'Months', source_lang: 'en', target_lang: 'fr' });
    expect(await conflictsOf([header, 'invoice,facture', 'may,pouvoir,yes'])).toEqual([]);
    expect(await conflictsOf([header, 'may,pouvoir'])).toEqual(['2 mai Months']);
    const neighbor = await openSets(app);
    expect(await conflictsOf([header, 'may,pouvoir'], undefined, neighbor.headers)).toEqual([]);
  });
});
