import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import {
  addDocument,
  addGlossary,
  addSegmentation,
  addStyleGuide,
  beginImport,
  glossaryForm,
  invite,
  join,
  memoryForm,
  queueDocument,
  resetToken,
  withAuthenticator,
} from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openReviewers } from '../translations/workplace/reviewers.ts';

/** Creates a workspace with every kind of data. Each of the returned texts is stored somewhere. */
export async function fillWorkspace(app: TestApp) {
  const sql = openSuperuser(app.superuserUrl);
  const planted: string[] = [];
  const plant = (kind: string) => {
    const text = `${kind}${randomUUID().replaceAll('-', '')}`;
    planted.push(text);
    return text;
  };
  const email = () => `${plant('mail')}@example.org`;
  const reviewers = await openReviewers(app);
  const { founder, call, job, review } = reviewers;
  const { tenantId } = founder;
  await sql`update tenants set name = ${plant('name')},
    metadata = metadata || ${sql.json({ note: plant('note') })} where tenant_id = ${tenantId}`;
  await sql`update users set email = ${email()} where tenant_id = ${tenantId} and user_id = ${founder.userId}`;
  const member = await join(app, founder);
  await withAuthenticator(app, member);
  const joined = await join(app, founder);
  await resetToken(app, { ...founder, userId: joined.userId });
  await invite(app, founder, { email: email() });
  await job({
    source_text: plant('published'),
    idempotency_key: plant('key'),
    metadata: { field: plant('field') },
  });
  const reviewed = await reviewers.held({ source_text: plant('source') });
  await call('reviews.comment', { kind: 'job', id: reviewed.id, body: plant('comment') });
  await review(reviewed.id, {
    action: 'modify',
    final_translation: plant('target'),
  });
  await reviewers.held({ source_text: plant('open') });
  const rejected = await reviewers.held({ source_text: plant('rejected') });
  await review(rejected.id, { action: 'reject' });
  await call('reviews.comment', { kind: 'job', id: rejected.id, body: plant('reason') });
  await job({ source_text: `<p>${plant('html')}</p>`, content_type: 'html' });
  await job({ source_text: plant('line'), metadata: { [plant('member')]: true } });
  await addGlossary(app, founder, {
    ...glossaryForm(),
    terminology_file: new File([`${plant('term')},${plant('terme')}\n`], 'terms.csv', { type: 'text/csv' }),
    name: plant('glossary'),
  });
  await addGlossary(app, founder, {
    ...glossaryForm(),
    terminology_file: new File([`${plant('second')},${plant('zweite')}\n`], 'more.csv', { type: 'text/csv' }),
    name: plant('list'),
  });
  await addStyleGuide(app, founder, {
    rules: plant('rules'),
    forbidden_words: [{ term: plant('forbidden'), use_instead: plant('instead') }],
  });
  await addSegmentation(app, founder, plant('srx'));
  await beginImport(app, founder, plant('memory'));
  const small = memoryForm(1, { name: plant('units') });
  const form = new FormData();
  for (const [name, value] of Object.entries(small)) form.append(name, value as Blob);
  expect((await app.request('/api/tm', { method: 'POST', headers: founder.bearer, body: form })).status).toBe(
    200,
  );
  const document = await addDocument(app, founder, {
    source_document: workbookFile([plant('cell'), plant('other')], `${plant('file')}.xlsx`),
  });
  const corrected = await app.json('GET', `/api/documents/${document}/segments`, { headers: founder.bearer });
  const { region_id, cell_id } = corrected.body.segments[0];
  await call('reviews.comment', { kind: 'document', id: document, position: 0, body: plant('about') });
  await app.json('POST', `/api/documents/${document}/review`, {
    headers: founder.bearer,
    body: {
      corrections: [{ region_id, cell_id, target_text: plant('correction') }],
    },
  });
  await app.json('POST', `/api/documents/${document}/approve`, {
    headers: founder.bearer,
    body: { reviewer: 'R' },
  });
  await queueDocument(app, founder, {
    source_document: workbookFile(['Queued'], `${plant('waiting')}.xlsx`),
  });
  return { ...reviewers, tenantId, planted };
}

export type Filled = Awaited<ReturnType<typeof fillWorkspace>>;
