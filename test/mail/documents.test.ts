import { beforeEach, expect, test } from 'vitest';
import { runDocument } from '#server/documents/run-document.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { documentForm, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { attemptAll, confirmAddresses, mailEnv, outboxOf, useSmtp } from './outbox.ts';
import { setPreferences } from './preferences.ts';

/** Texts with `unlucky` cannot be translated. */
const engine = engineOf(async ({ segments }) => {
  if (segments.some((text) => text.includes('unlucky'))) throw new Error('no translation');
  return answered(segments.map((text) => `fr of ${text}`));
});
const app = useTestApp({ env: mailEnv, engine });
const sql = () => openSuperuser(app.superuserUrl);

let member: Person;
beforeEach(async () => {
  member = await join(app, await found(app));
  await confirmAddresses(app, member);
});

const secretName = 'merger with Initech.xlsx';

/** Submits a document and runs it, like a worker. */
async function translate(cell: string, { tenantId } = member, headers = member.bearer): Promise<string> {
  const body = new FormData();
  const fields = documentForm({ source_document: workbookFile([cell], secretName) });
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) body.append(name, value as Blob);
  const response = await app.request('/api/documents/translate', { method: 'POST', headers, body });
  expect(response.status).toBe(202);
  const { id } = (await response.json()) as { id: string };
  await runDocument(app.services, tenantId, id);
  return id;
}

test('a translated document is announced to the member who submitted it, with a link and nothing of its content', async () => {
  const smtp = await useSmtp();
  const id = await translate('The confidential text');
  const [row] = await outboxOf(app, member.tenantId);
  expect(JSON.stringify(row)).not.toMatch(/Initech|confidential/);
  const [mail] = await attemptAll(app, smtp, member.tenantId);
  expect(mail).toMatchObject({ to: member.email });
  expect(mail!.headers['subject']).toBe('1 document is translated.');
  expect(mail!.text).toContain(`https://lingua.example.org/app/edit/documents/${id}`);
  expect(mail!.raw + mail!.text + mail!.html).not.toMatch(/Initech|merger|confidential/);
});

test('a failed document is announced, too, once for each end', async () => {
  const smtp = await useSmtp();
  const id = await translate('an unlucky text');
  const [row] = await sql()`select status from document_jobs where document_id = ${id}`;
  expect(row!['status']).toBe('failed');
  await runDocument(app.services, member.tenantId, id);
  expect(await outboxOf(app, member.tenantId)).toHaveLength(1);
  const [mail] = await attemptAll(app, smtp, member.tenantId);
  expect(mail!.headers['subject']).toBe('1 document could not be translated.');
});

test('documents that end within a minute are in one mail; the next mail comes 15 minutes later', async () => {
  const smtp = await useSmtp();
  for (const cell of ['one', 'two', 'an unlucky one']) await translate(cell);
  expect(await outboxOf(app, member.tenantId)).toMatchObject([
    { items: 3, failed_items: 1, subject_id: null },
  ]);
  const [mail] = await attemptAll(app, smtp, member.tenantId);
  expect(mail!.headers['subject']).toBe('2 documents are translated. 1 document could not be translated.');
  expect(mail!.text).toContain('https://lingua.example.org/app/files');
  await translate('four');
  const [pause] = await sql()`
    select extract(epoch from next_attempt_at - now())::float8 as seconds,
      (select extract(epoch from run_at - now())::float8 from graphile_worker.jobs where key = 'send_mail:' || mail_id) as queue
    from mails where tenant_id = ${member.tenantId} and state = 'pending'`;
  for (const seconds of [pause!['seconds'], pause!['queue']]) {
    expect(seconds).toBeGreaterThan(880);
    expect(seconds).toBeLessThan(901);
  }
});

test('a document that ends while its member’s mail is being sent is in the next mail', async () => {
  const smtp = await useSmtp();
  await translate('one');
  smtp.fault = (stage) => (stage === 'RCPT' ? '451 later' : undefined);
  await attemptAll(app, smtp, member.tenantId);
  await translate('two');
  smtp.fault = () => undefined;
  const mails = await attemptAll(app, smtp, member.tenantId);
  expect(mails.map(({ headers }) => headers['subject'])).toEqual(Array(2).fill('1 document is translated.'));
});

test('a document of an API key is not announced', async () => {
  const admin = await found(app);
  await confirmAddresses(app, admin);
  const id = await translate('x', admin, admin.key);
  const [row] = await sql()`select status from document_jobs where document_id = ${id}`;
  expect(row!['status']).toBe('translated');
  expect(await outboxOf(app, admin.tenantId)).toHaveLength(0);
});

test('is not announced to a member who has switched this off, before or after its end', async () => {
  const smtp = await useSmtp();
  await translate('one');
  await setPreferences(app, member, { documents: false });
  await translate('two');
  expect(await outboxOf(app, member.tenantId)).toMatchObject([{ items: 1 }]);
  await attemptAll(app, smtp, member.tenantId);
  expect(smtp.connections).toBe(0);
  expect(await outboxOf(app, member.tenantId)).toMatchObject([{ state: 'dropped', reason: 'switched off' }]);
});

test('if the end of a document is rolled back, so is its mail', async () => {
  const id = await translate('one');
  await sql()`delete from mails where tenant_id = ${member.tenantId}`;
  const { queueDocumentMail } = await import('#server/identity/mail/outbox.ts');
  const end = app.database.inTenant(member.tenantId, async (tx) => {
    await queueDocumentMail(tx, app.services.settings, {
      ...{ tenantId: member.tenantId, documentId: id, submittedBy: member.userId, hasFailed: false },
    });
    throw new Error('rolled back');
  });
  await expect(end).rejects.toThrow('rolled back');
  expect(await outboxOf(app, member.tenantId)).toHaveLength(0);
});
