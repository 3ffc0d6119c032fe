import { readdir, readFile } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anonymizeMember, renamePerson } from '#server/retention/anonymize-member.ts';
import { passwordGrant } from '#test/auth/sign-in.ts';
import { viaRpc } from '#test/contract/call.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { addDocument, env, found, invite, join, type Person, withAuthenticator } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf, everyRow } from '#test/setup/stored-rows.ts';
import { operateHere, outputOf } from '../admin/command.ts';
import { openReviewers } from '../translations/workplace/reviewers.ts';

const app = useTestApp({ env });
const sql = () => openSuperuser(app.superuserUrl);

/** The tables and files that contain a text. */
async function placesOf(text: string): Promise<string[]> {
  const rows = (await everyRow(sql())).filter(({ row }) => row.includes(text)).map(({ table }) => table);
  const folder = joinPath(app.services.settings.DATA_DIR, 'storage');
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = new Set(rows);
  for (const file of files.filter((entry) => entry.isFile())) {
    const content = await readFile(joinPath(file.parentPath, file.name));
    if (content.includes(text)) found.add('a file');
  }
  return [...found].sort();
}

/** A workspace with a second administrator, who has decided about texts and a document. */
async function openDecided() {
  const reviewers = await openReviewers(app);
  const { founder, call, review } = reviewers;
  const member = await reviewers.join();
  await sql()`update users set role = 'global_administrator' where user_id = ${member.userId}`;
  await withAuthenticator(app, member);
  const published = await reviewers.held({ source_text: 'Published' });
  await review(published.id, { action: 'modify', final_translation: 'Publié' }, member);
  const draft = await reviewers.held({ source_text: 'Draft' });
  await review(draft.id, { action: 'save', final_translation: 'Brouillon' }, member);
  await call('reviews.comment', { kind: 'job', id: draft.id, body: 'A remark' }, member);
  await call('reviews.comment', { kind: 'job', id: draft.id, body: 'Ask', mentions: [member.userId] });
  const as = { headers: member.bearer };
  const document = await addDocument(app, founder, { source_document: workbookFile(['One', 'Two']) });
  const { segments } = (await app.json('GET', `/api/documents/${document}/segments`, as)).body;
  const [first, second] = segments;
  for (const [target_text, replaces] of [
    ['Un', first.target_text],
    ['Une', 'Un'],
  ])
    await call(
      'documents.save',
      { document_id: document, segments: [{ position: 0, target_text, replaces, confirmed: true }] },
      member,
    );
  const corrections = [{ region_id: second.region_id, cell_id: second.cell_id, target_text: 'Deux' }];
  await app.json('POST', `/api/documents/${document}/review`, { ...as, body: { corrections } });
  expect((await app.json('POST', `/api/documents/${document}/approve`, { ...as, body: {} })).status).toBe(
    200,
  );
  await invite(app, member);
  await passwordGrant(app, { ...member, password: 'a wrong passphrase' });
  return { ...reviewers, member, published, draft, document };
}

const run = ({ tenantId, userId }: Person) =>
  anonymizeMember(app.services, { tenantId, userId, part: 0, after: '' });

describe('anonymize-member', () => {
  test('leaves the address nowhere in database and storage, and every decision with the ID of the member', async () => {
    const { founder, member, published, read } = await openDecided();
    const before = await placesOf(member.email);
    for (const place of [
      'audit_log',
      'document_jobs',
      'document_segments',
      'invites',
      'review_comments',
      'segment_events',
      'translation_jobs',
      'users',
    ])
      expect(before).toContain(`public.${place}`);
    expect(before).toContain('a file');
    const { userId: user_id } = member;
    const output = await outputOf(app, ['anonymize-member', founder.tenantId, member.email]);
    expect(output).toMatchObject([{ user_id }]);
    expect((await app.json('GET', '/api/auth/me', { headers: member.bearer })).status).toBe(401);
    await run(member);
    expect(await placesOf(member.email)).toEqual([]);
    const [row] = await sql()`select * from users where user_id = ${member.userId}`;
    expect(row).toMatchObject({
      email: `${member.userId}@anonymized.invalid`,
      password_hash: null,
      provider_subject: null,
      totp_secret: null,
      active: false,
    });
    const job = await read(published.id);
    expect(job).toMatchObject({ status: 'human_edited', final_translation: 'Publié' });
    expect(job.agent_run.human_review_task.completed_by).toBe(member.userId);
    const golden = await app.request(`/api/translations/${published.id}/golden`, { headers: founder.bearer });
    expect(golden.status).toBe(200);
    expect(await placesOf(founder.email)).not.toEqual([]);
  });

  test('changes nothing the second time, and nothing of another workspace with the same address', async () => {
    const { founder, member } = await openDecided();
    const other = await found(app, { email: member.email });
    await operateHere(app, ['anonymize-member', founder.tenantId, member.email]);
    await run(member);
    const after = await everyRow(sql());
    await run(member);
    expect(await everyRow(sql())).toEqual(after);
    const [row] = await sql()`select email, active from users where user_id = ${other.userId}`;
    expect(row).toEqual({ email: member.email, active: true });
  });

  test('is rejected for the last administrator, and for an address that is not a member', async () => {
    const { tenantId, email } = await found(app);
    await expect(operateHere(app, ['anonymize-member', tenantId, email])).rejects.toThrow('administrator');
    await expect(operateHere(app, ['anonymize-member', tenantId, 'nobody@example.org'])).rejects.toThrow(
      `${tenantId} has no member nobody@example.org`,
    );
    expect((await sql()`select active from users where email = ${email}`)[0]).toEqual({ active: true });
  });

  test('continues after the row at which the last run ended', async () => {
    const { founder, member, published, draft } = await openDecided();
    await operateHere(app, ['anonymize-member', founder.tenantId, member.email]);
    const [first, second] = [published.id, draft.id].sort();
    const { tenantId, userId } = member;
    await anonymizeMember(app.services, { tenantId, userId, part: 0, after: first });
    const rows =
      await sql()`select job_id from translation_jobs where agent_run::text like ${`%${member.email}%`}`;
    expect(rows.map(({ job_id }) => job_id)).toEqual([first]);
    expect(second).not.toBe(first);
  });

  test('writes the records again whose rows an interrupted run had changed', async () => {
    const { founder, member } = await openDecided();
    await operateHere(app, ['anonymize-member', founder.tenantId, member.email]);
    const { tenantId, userId } = member;
    const storage: typeof app.services.storage = Object.create(app.services.storage, {
      put: { value: () => Promise.reject(new Error('the disk is full')) },
    });
    const position = { tenantId, userId, part: 0, after: '' };
    await expect(anonymizeMember({ ...app.services, storage }, position)).rejects.toThrow('the disk is full');
    expect(await placesOf(member.email)).toContain('a file');
    await run(member);
    expect(await placesOf(member.email)).toEqual([]);
  });

  test('is rejected during a legal hold', async () => {
    const founder = await found(app);
    const member = await join(app, founder);
    await operateHere(app, ['set-retention', founder.tenantId, '--hold']);
    const command = operateHere(app, ['anonymize-member', founder.tenantId, member.email]);
    await expect(command).rejects.toThrow('the workspace has a legal hold');
    expect((await app.json('GET', '/api/auth/me', { headers: member.bearer })).status).toBe(200);
  });
});

describe('retention.anonymizeMember', () => {
  const anonymize = async (by: Person, userId: string) => {
    const at = { path: 'retention.anonymizeMember', type: 'mutation' } as const;
    const { status, body } = await viaRpc(app, at, { input: { user_id: userId }, headers: by.bearer });
    return [status, body.detail ?? body.user_id];
  };
  const queued = async (userId: string) =>
    (await sql()`select from graphile_worker._private_jobs where payload ->> 'userId' = ${userId}`).length;

  test('is for revoked members, and names the administrator in the audit log', async () => {
    const founder = await found(app);
    const member = await join(app, founder);
    expect(await anonymize(founder, member.userId)).toEqual([409, 'revoke the access of the member first']);
    expect(
      (await app.json('DELETE', `/api/auth/users/${member.userId}`, { headers: founder.bearer })).status,
    ).toBe(200);
    await operateHere(app, ['set-retention', founder.tenantId, '--hold']);
    expect(await anonymize(founder, member.userId)).toEqual([
      409,
      'the workspace has a legal hold, so no data of members can be removed',
    ]);
    await operateHere(app, ['set-retention', founder.tenantId, '--release']);
    expect(await anonymize(await found(app), member.userId)).toEqual([404, 'user not found']);
    expect(await queued(member.userId)).toBe(0);
    expect(await anonymize(founder, member.userId)).toEqual([200, member.userId]);
    expect(await queued(member.userId)).toBe(1);
    expect((await eventsOf(app, founder.tenantId, 'member_anonymized')).at(-1)).toMatchObject({
      actor: ['member', founder.userId],
      target: member.userId,
    });
    await run(member);
    expect(await placesOf(member.email)).toEqual([]);
  });

  test('does nothing if the member is restored before it begins', async () => {
    const founder = await found(app);
    const member = await join(app, founder);
    expect(
      (await app.json('DELETE', `/api/auth/users/${member.userId}`, { headers: founder.bearer })).status,
    ).toBe(200);
    expect((await anonymize(founder, member.userId))[0]).toBe(200);
    const path = `/api/auth/users/${member.userId}/restore`;
    expect((await app.json('POST', path, { headers: founder.bearer })).status).toBe(200);
    await run(member);
    const [row] = await sql()`select email from users where user_id = ${member.userId}`;
    expect(row).toEqual({ email: member.email });
  });
});

test('a name is replaced in the fields of names only', () => {
  const value = {
    reviewer: 'ada@example.org',
    steps: [{ actor: 'ada@example.org', output: 'ada@example.org' }, { actor: 'bob@example.org' }],
    target_text: 'ada@example.org',
    notes: 'from ada@example.org',
    count: 1,
    none: null,
  };
  expect(renamePerson(value, 'ada@example.org', 'id')).toEqual({
    ...value,
    reviewer: 'id',
    steps: [{ actor: 'id', output: 'ada@example.org' }, { actor: 'bob@example.org' }],
  });
});
