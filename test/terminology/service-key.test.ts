import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { expectServed } from '../translation-memory/fast-path-jobs.ts';
import { openSets, refusal, setsOf, TERMINOLOGY, TM } from '../translation-memory/sets.ts';

const serviceKey = 'a-service-key-of-some-length-0123456789abc';
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', SERVICE_API_KEY: serviceKey } });

/** The tenants for which any table of the database contains a text. */
async function tenantsHolding(text: string): Promise<string[]> {
  const sql = openSuperuser(app.superuserUrl);
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.columns
    where column_name = 'tenant_id' and table_schema not in ('pg_catalog', 'information_schema')`;
  const found = new Set<string>();
  for (const { name } of tables)
    for (const { tenant_id } of await sql.unsafe<{ tenant_id: string }[]>(
      `select tenant_id from ${name} t where position($1 in t::text) > 0`,
      [text],
    ))
      found.add(tenant_id);
  return [...found];
}

describe('a deployment without workspaces (A 5.1 rule 6)', () => {
  // The steps run in this order, because the first tenant ends this mode.
  test('stores glossaries and TMs under the tenant ID `default`, for the service key only', async () => {
    const headers = { 'x-api-key': serviceKey };
    const mine = setsOf(app, headers);
    for (const as of [{ 'x-api-key': 'wrong' }, {}])
      for (const answer of [
        await mine.uploadFile('ledger-zq91,grand livre', {}, {}, as),
        await app.json('GET', TERMINOLOGY, { headers: as }),
        await app.json('GET', TM, { headers: as }),
        await mine.importFile('', {}, {}, as),
      ])
        expect(refusal(answer)).toEqual([401, 'missing or invalid API key']);

    const { warnings: _, ...glossary } = await mine.glossary(['ledger-zq91,grand livre']);
    const memory = await mine.memory([['Hello zq92', 'Bonjour']]);
    expect(await mine.glossaries()).toEqual([glossary]);
    expect(await mine.memories()).toMatchObject([{ id: memory.id }]);
    for (const text of ['ledger-zq91', 'Hello zq92']) expect(await tenantsHolding(text)).toEqual(['default']);

    const translate = async (source_text: string) => {
      const body = { source_text, target_lang: 'fr' };
      return (await app.json('POST', '/api/translations', { headers, body })).body;
    };
    expectServed(await translate('ledger-zq91'), 'glossary_exact', 'grand livre');
    expectServed(await translate('Hello zq92'), 'tm_exact', 'Bonjour');

    // The first tenant sees none of these sets, and the service key sees none of the tenant's sets.
    const tenant = await openSets(app);
    expect([await tenant.glossaries(), await tenant.memories()]).toEqual([[], []]);
    expect((await tenant.removeGlossary(glossary.id)).status).toBe(404);
    expect((await tenant.job({ source_text: 'Hello zq92' })).final_translation).toBe('[fr] Hello zq92');
    expect((await app.json('GET', TERMINOLOGY, { headers })).status).toBe(401);
  });
});
