import postgres from 'postgres';
import { beforeAll, describe, expect, test } from 'vitest';
import { recordEvent } from '#server/identity/audit/audit-log.ts';
import { addMember } from '#server/identity/members/members.ts';
import { newId } from '#server/platform/ids.ts';
import {
  addAdministrator,
  openOperators,
  operatorEnv,
  operatorWorkspace,
} from '#test/factories/operators.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import {
  type Person as Account,
  addDocument,
  addGlossary,
  addMemory,
  addStyleGuide,
  administrator,
  glossaryForm,
  queueDocument,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { tmx } from '#test/translation-memory/tmx.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { allHostile, harmOn, hostileTexts } from './hostile.ts';
import { follow, openRequests, sessionCookie, settled } from './screens.ts';

const app = useTestApp({ env: { ...operatorEnv, STORAGE_BINDING_ENABLED: 'true' } });
const browser = useBrowser(app);

let me: Account;
beforeAll(async () => {
  if (withoutBrowser) return;
  await openOperators(app);
  const person = await addAdministrator(app, 'first@ops.example');
  // Operators sign in with a provider; the functions below only use the session.
  me = { ...person, tenantId: operatorWorkspace } as unknown as Account;
});

const names = hostileTexts.map((text) => text.slice(0, 128));
/** Control characters are removed, because they are invalid in names and CSV cells. */
const lines = hostileTexts.map((text) => text.replace(/\p{Cc}+/gu, ' ').slice(0, 128));

/** Opens a browser in which the operator is signed in. */
async function signedIn() {
  const { page, context } = await browser.person('/about', { locale: 'en' });
  await context.addCookies([await sessionCookie(app, me)]);
  await page.goto('/app/settings/security');
  const asked = openRequests(page);
  /** Opens a screen with all its disclosures, and checks it. */
  const harmAt = async (address: string, texts?: readonly string[]) => {
    await follow(page, address);
    await settled(page, asked);
    await page.evaluate(() => {
      for (const one of document.querySelectorAll<HTMLDetailsElement>('main details')) one.open = true;
    });
    await settled(page, asked);
    return (await harmOn(page, texts)).map((fault) => `${address}: ${fault}`);
  };
  return { page, harmAt };
}

describe.skipIf(withoutBrowser)('30 hostile texts are shown as text', () => {
  test('as names of workspaces, and in members, invites and the audit log', async () => {
    for (const name of names) {
      const { status } = await app.json('POST', '/api/tenants', { headers: me.bearer, body: { name } });
      expect([name, status]).toEqual([name, 200]);
      // The service accepts no such email address, but an identity provider or a later version might store one.
      await app.database.inTenant(operatorWorkspace, async (tx) => {
        await addMember(tx, {
          tenantId: operatorWorkspace,
          userId: newId(),
          email: name,
          provider: name,
          role: administrator,
          passwordHash: null,
        });
        await recordEvent(
          tx,
          { requestId: name, clientAddress: name },
          {
            action: 'signed_in' as never,
            tenantId: operatorWorkspace,
            actor: { kind: name } as never,
            target: name,
            details: { [name]: name },
          },
        );
      });
    }
    const { harmAt } = await signedIn();
    expect([
      ...(await harmAt(
        '/app/settings/operator',
        names.map((name) => name.trim()),
      )),
      ...(await harmAt('/app/settings/members', names)),
      ...(await harmAt('/app/settings/audit', names)),
    ]).toEqual([]);
  });

  test('as names and contents of glossaries and memories', async () => {
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const rows = lines.map((text) => `${quoted(text)},${quoted(text)}\n`).join('');
    const file = new File([`source_term,target_term\n${rows}`], 'terms.csv', { type: 'text/csv' });
    const glossary = await addGlossary(app, me, { terminology_file: file, name: 'Terms' });
    const form = new FormData();
    const units = hostileTexts.map((text): [string, string] => [
      text.replace('\uffff', ''),
      text.replace('\uffff', ''),
    ]);
    form.append('tmx_file', new File([tmx(units)], 'units.tmx'));
    for (const [name, value] of Object.entries({ name: 'Units', source_lang: 'en', target_lang: 'fr' }))
      form.append(name, value);
    const sent = await app.request('/api/tm', { method: 'POST', headers: me.bearer, body: form });
    const memory = (await sent.json()).id;
    const input = encodeURIComponent(JSON.stringify({ json: { set_id: memory, limit: 50 } }));
    const { body } = await app.json('GET', `/trpc/memory.browse?input=${input}`, { headers: me.bearer });
    const stored = body.result.data.json.units.map((one: { source_text: string }) => one.source_text);
    expect(stored.length).toBeGreaterThan(20);
    for (const name of lines) {
      await addGlossary(app, me, glossaryForm(1, { name }));
      await addMemory(app, me, name);
    }
    const { harmAt } = await signedIn();
    const trimmed = lines.map((name) => name.trim());
    expect([
      ...(await harmAt('/app/glossaries', trimmed)),
      ...(await harmAt('/app/memories', trimmed)),
      ...(await harmAt(`/app/glossaries/${glossary}`, trimmed)),
      ...(await harmAt(`/app/memories/${memory}`, stored)),
      ...(await harmAt('/app/concordance?from=en&to=fr&text=hello')),
    ]).toEqual([]);
  });

  test('as names and segments of documents, and in their errors', async () => {
    // Characters that XML cannot contain are removed, because the service would reject the file.
    const cells = lines.map((text) => text.replace(']]>', ']]').replaceAll(/[\uffff\r]/g, ''));
    const id = await addDocument(app, me, { source_document: workbookFile(cells) });
    const { body: read } = await app.json('GET', `/api/documents/${id}/segments`, { headers: me.bearer });
    expect(read.segments.length).toBeGreaterThan(20);
    for (const name of hostileTexts)
      await queueDocument(app, me, {
        source_document: workbookFile(['Hello'], `${name.slice(0, 200)}.xlsx`),
      });
    const { body: listed } = await app.json('GET', '/api/documents?limit=50', { headers: me.bearer });
    const sql = postgres(app.superuserUrl, { max: 1, onnotice: () => {} });
    const failure = {
      code: 'unexpected_error',
      stage: 'extract',
      message: allHostile,
      error_type: null,
      retry_attempts: 0,
      transient: false,
      timeout: false,
      metadata: {},
    };
    await sql`update document_jobs set failure = ${sql.json(failure)} where tenant_id = ${operatorWorkspace}`;
    await sql.end();
    const { page, harmAt } = await signedIn();
    const texts = read.segments.map((one: { source_text: string }) => one.source_text);
    const fileNames = listed.map((one: { source_file_name: string }) => one.source_file_name);
    expect([
      ...(await harmAt('/app/files', [...fileNames, allHostile])),
      ...(await harmAt('/app')),
      ...(await harmAt(`/app/edit/documents/${id}`)),
    ]).toEqual([]);
    // In a window of this size, the list shows all segments.
    await page.setViewportSize({ width: 1440, height: 8000 });
    await expect.poll(() => harmOn(page, [...texts, allHostile], []), { timeout: 10_000 }).toEqual([]);
  });

  test('as names of API keys, in their list and dialogs', async () => {
    const sql = postgres(app.superuserUrl, { max: 1, onnotice: () => {} });
    for (const [n, name] of lines.entries())
      await sql`
        insert into api_keys (tenant_id, key_id, name, scope, prefix, created_at)
        values (${operatorWorkspace}, ${String(n)}, ${name}, 'read', 'abcdefgh', now() + make_interval(secs => ${n}))`;
    await sql.end();
    const { page, harmAt } = await signedIn();
    expect(await harmAt('/app/settings/api-keys', lines)).toEqual([]);
    for (const button of ['Edit', 'Rotate', 'Revoke']) {
      await page.getByRole('button', { name: button }).last().click();
      await page.locator('dialog[open]').waitFor();
      expect(await harmOn(page)).toEqual([]);
      await page.keyboard.press('Escape');
    }
  });

  test('as rules and forbidden words of a style guide, in its card and dialog', async () => {
    const words = [...new Set(lines.map((line) => line.trim().slice(0, 100).trim()))].filter(Boolean);
    await addStyleGuide(app, me, {
      rules: allHostile.replace('\0', '').slice(0, 4000),
      forbidden_words: words.map((term) => ({ term, use_instead: term })),
    });
    const { page, harmAt } = await signedIn();
    expect(await harmAt('/app/style-guides', words)).toEqual([]);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.locator('dialog[open]').waitFor();
    expect(await harmOn(page)).toEqual([]);
  });

  test('as the connected account, and in its response', async () => {
    const sql = postgres(app.superuserUrl, { max: 1, onnotice: () => {} });
    await sql`
      insert into storage_bindings (tenant_id, account_url, filesystem, auth_mode, documents_prefix, golden_prefix,
        terminology_prefix, status, last_error, updated_by)
      values (${operatorWorkspace}, ${allHostile}, ${allHostile}, 'sas', ${allHostile}, ${allHostile}, ${allHostile},
        'error', ${allHostile}, ${allHostile})`;
    await sql.end();
    const { harmAt } = await signedIn();
    expect(await harmAt('/app/settings/storage', [allHostile])).toEqual([]);
  });
});
