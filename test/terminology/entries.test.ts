import { beforeAll, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields, Headers } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const ask = (input: Fields, headers: Headers) =>
  viaRpc(app, { path: 'terminology.entries', type: 'query' }, { input, headers });

let mine: Sets;
let set: { id: string };
beforeAll(async () => {
  mine = await openSets(app);
  set = await mine.glossary([
    'source_term,target_term,source_lang,target_lang,case_sensitive,priority',
    'invoice,facture,en,fr,false,5',
    'Invoice,Rechnung,en,de,true,',
    '50 %,moitié,,,,',
    'net_total,Total net,en,fr,,',
  ]);
});

async function page(input: Fields = {}, of = mine, id = set.id) {
  const { status, body } = await ask({ set_id: id, ...input }, of.headers);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const termsOf = ({ entries }: { entries: { source_term: string }[] }) =>
  entries.map(({ source_term }) => source_term);

describe('terminology.entries', () => {
  test('returns the terms in the order of the file', async () => {
    const plain = { case_sensitive: false, priority: 0 };
    expect(await page()).toEqual({
      entries: [
        {
          ...{ entry_no: 1, source_lang: 'en', target_lang: 'fr', ...plain, priority: 5 },
          ...{ source_term: 'invoice', target_term: 'facture' },
        },
        {
          ...{ entry_no: 2, source_lang: 'en', target_lang: 'de', ...plain, case_sensitive: true },
          ...{ source_term: 'Invoice', target_term: 'Rechnung' },
        },
        {
          ...{ entry_no: 3, source_lang: null, target_lang: null, ...plain },
          ...{ source_term: '50 %', target_term: 'moitié' },
        },
        {
          ...{ entry_no: 4, source_lang: 'en', target_lang: 'fr', ...plain },
          ...{ source_term: 'net_total', target_term: 'Total net' },
        },
      ],
      next_cursor: null,
    });
  });

  test('a page at a time, each term once', async () => {
    const first = await page({ limit: 3 });
    expect(termsOf(first)).toEqual(['invoice', 'Invoice', '50 %']);
    const second = await page({ limit: 3, cursor: first.next_cursor });
    expect([termsOf(second), second.next_cursor]).toEqual([['net_total'], null]);
    expect((await page({ limit: 4 })).next_cursor).toBeNull();
    const found = await page({ limit: 1, text: 'INVOICE' });
    const rest = await page({ limit: 1, text: 'INVOICE', cursor: found.next_cursor });
    expect([termsOf(found), termsOf(rest), rest.next_cursor]).toEqual([['invoice'], ['Invoice'], null]);
  });

  test.each([
    ['a text in either side', { text: 'TOTAL' }, ['net_total']],
    ['a text in the source', { text: 'facture', side: 'source' }, []],
    ['the start of a target', { text: 'f', side: 'target', match: 'prefix' }, ['invoice']],
    ['what applies to a language', { target_lang: 'de' }, ['Invoice', '50 %']],
    ['what applies to a pair', { source_lang: 'en-GB', target_lang: 'fr' }, ['invoice', '50 %', 'net_total']],
  ])('finds %s', async (_, input, expected) => {
    expect(termsOf(await page(input))).toEqual(expected);
  });

  test.each([
    ['a text that is too long', { text: 'x'.repeat(201) }, 422],
    ['too many terms', { limit: 201 }, 422],
    ['a language that is none', { source_lang: 'pt' }, 422],
  ])('refuses %s', async (_, input, status) => {
    expect((await ask({ set_id: set.id, ...input }, mine.headers)).status).toBe(status);
  });

  test('the cursor of a glossary that was replaced is 409', async () => {
    const other = await openSets(app);
    const { id } = await other.glossary(['a,b', 'c,d']);
    const { next_cursor: cursor } = await page({ limit: 1 }, other, id);
    await other.glossary(['e,f', 'g,h']);
    expect((await ask({ set_id: id, cursor }, other.headers)).status).toBe(409);
    // A cursor is valid only for its own glossary.
    expect((await ask({ set_id: set.id, cursor }, mine.headers)).status).toBe(409);
  });

  test('a page ends after 20,000 terms that do not fit, and the next goes on from there', async () => {
    const other = await openSets(app);
    const { id } = await other.glossary(['hay,foin']);
    await openSuperuser(app.superuserUrl)`
      insert into terminology_entries select tenant_id, set_id, n, source_lang, target_lang,
        case when n = 21000 then 'needle' else 'hay' end, 'x', false, 0
      from terminology_entries, generate_series(2, 21000) n where set_id = ${id}`;
    const first = await page({ text: 'needle' }, other, id);
    expect(first).toEqual({ entries: [], next_cursor: expect.any(String) });
    const second = await page({ text: 'needle', cursor: first.next_cursor }, other, id);
    expect([termsOf(second), second.next_cursor]).toEqual([['needle'], null]);
  });
});
