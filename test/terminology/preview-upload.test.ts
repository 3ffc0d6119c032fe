import { beforeEach, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MAX_TERMINOLOGY_TERMS: '5' } });
const header = 'source_term,target_term,source_lang,target_lang,priority';

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
  await mine.glossary([header, 'order,commande,en,fr,', 'bill,addition,en,fr,', 'rent,loyer,en,fr,']);
});

const preview = (lines: string[], fields: Fields = {}) =>
  viaRpc(
    app,
    { path: 'terminology.previewUpload', type: 'mutation' },
    {
      input: {
        file_name: 'terms.csv',
        content: Buffer.from(lines.join('\n')).toString('base64'),
        name: 'A glossary',
        ...fields,
      },
      headers: mine.headers,
    },
  );

describe('terminology.previewUpload', () => {
  test('returns what an upload would add, change and remove, and stores nothing', async () => {
    const before = await mine.glossaries();
    const { status, body } = await preview([
      header,
      'order,commande,en,fr,',
      'Bill,note,en,fr,',
      'invoice,facture,en,fr,',
    ]);
    expect([status, body]).toMatchObject([
      200,
      { set_id: before[0].id, entry_count: 3, added: 1, changed: 1, removed: 1, unchanged: 1, warnings: [] },
    ]);
    expect(
      body.changes.map(({ kind, line, before, after }: Record<string, Fields>) => [
        kind,
        line,
        before?.['target_term'],
        after?.['target_term'],
      ]),
    ).toEqual([
      ['changed', 3, 'addition', 'note'],
      ['removed', null, 'loyer', undefined],
      ['added', 4, undefined, 'facture'],
    ]);
    expect(await mine.glossaries()).toEqual(before);
  });

  test('another priority is a change, and another language a new term', async () => {
    const { body } = await preview([
      header,
      'order,commande,en,fr,2',
      'bill,addition,en,de,',
      'rent,loyer,en,fr,',
    ]);
    expect(body).toMatchObject({ changed: 1, added: 1, removed: 1, unchanged: 1 });
  });

  test('a new name adds all terms', async () => {
    const { body } = await preview(['a,b'], { name: 'New' });
    expect(body).toMatchObject({ set_id: null, added: 1, changed: 0, removed: 0 });
  });

  test('returns each warning with its line, and the warnings of an upload', async () => {
    const { body } = await preview(['invoice,facture', 'invoice,note', 'lease,', 'rent,loyer']);
    expect(body.line_warnings.map(({ code, line }: Fields) => `${code} ${line}`)).toEqual([
      ...[
        'no_header 1',
        'skipped 3',
        'ambiguous 1',
        'ambiguous 2',
        'every_pair 1',
        'every_pair 2',
        'every_pair 4',
      ],
    ]);
    expect(body.warning_counts).toEqual([
      { code: 'no_header', count: 1 },
      { code: 'skipped', count: 1 },
      { code: 'ambiguous', count: 2 },
      { code: 'every_pair', count: 3 },
    ]);
    const { body: uploaded } = await mine.uploadFile('invoice,facture\ninvoice,note\nlease,\nrent,loyer');
    expect(body.warnings).toEqual(uploaded.warnings);
  });

  test.each([
    ['an invalid line', ['a,b', '"c,d'], {}, [400, expect.stringContaining('line 2')]],
    ['another format', ['a,b'], { file_name: 'a.xls' }, [415, expect.any(String)]],
    ['a file of the wrong format', ['a,b'], { file_name: 'a.xlsx' }, [400, expect.stringContaining('zip')]],
    [
      'too many terms',
      ['1,1', '2,2', '3,3', '4,4', '5,5', '6,6'],
      {},
      [422, expect.stringMatching(/^terminology_max_terms/)],
    ],
  ])('rejects %s like an upload', async (_, lines, fields, expected) => {
    const answer = await preview(lines, fields);
    expect(refusal(answer)).toEqual(expected);
    const { file_name: name = 'terms.csv' } = fields as { file_name?: string };
    expect(refusal(await mine.uploadFile(lines.join('\n'), {}, { name, type: null }))).toEqual(
      refusal(answer),
    );
  });
});

describe('terminology.applyPreview', () => {
  const lines = [header, 'order,ordre,en,fr,'];
  const apply = (revision: string | null, fields: Fields = {}, headers = mine.headers) =>
    viaRpc(
      app,
      { path: 'terminology.applyPreview', type: 'mutation' },
      {
        input: {
          file_name: 'terms.csv',
          content: btoa(lines.join('\n')),
          name: 'A glossary',
          revision,
          ...fields,
        },
        headers,
      },
    );
  const stored = async () =>
    (await mine.glossaries()).map(({ name, entry_count }: Fields) => [name, entry_count]);

  test('replaces the glossary that was previewed, and does nothing when it is sent again', async () => {
    const { body } = await preview(lines);
    const first = await apply(body.revision);
    expect([first.status, await stored()]).toEqual([200, [['A glossary', 1]]]);
    expect(await apply(body.revision)).toEqual(first);
    const both = await Promise.all([1, 2].map(() => apply(null, { name: 'New' })));
    expect(both[0]).toEqual(both[1]);
    expect((await preview(lines)).body).toMatchObject({ added: 0, changed: 0, removed: 0, unchanged: 1 });
  });

  test('is rejected if the glossary was changed, created or deleted since the preview', async () => {
    const { body } = await preview(lines);
    const refused = [409, 'the glossary has changed since the preview; preview the file again'];
    const [{ id }] = await mine.glossaries();
    const term = { source_term: 'tea', target_term: 'thé', source_lang: 'en', target_lang: 'fr' };
    const added = await viaRpc(
      app,
      { path: 'terminology.addTerm', type: 'mutation' },
      { input: { set_id: id, term: { ...term, case_sensitive: false, priority: 0 } }, headers: mine.headers },
    );
    expect([added.status, added.body.detail]).toEqual([200, undefined]);
    expect(refusal(await apply(body.revision))).toEqual(refused);
    expect(refusal(await apply(null))).toEqual(refused);
    expect(await stored()).toEqual([['A glossary', 4]]);
    const again = (await preview(lines)).body;
    await app.json('DELETE', `/api/terminology/${id}`, { headers: mine.headers });
    expect(refusal(await apply(again.revision))).toEqual(refused);
    // Another workspace cannot use the revision.
    const neighbor = await openSets(app);
    expect(refusal(await apply(again.revision, {}, neighbor.headers))).toEqual(refused);
  });
});
