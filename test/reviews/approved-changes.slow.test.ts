import { expect, test } from 'vitest';
import { applyRules } from '#server/review/assignments/rules.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { apiKey, documentForm, env, type Fields, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { tasks } from '#workers/tasks.ts';
import { viaRest, viaRpc } from '../contract/call.ts';
import { judgingEngine } from './judging-engine.ts';
import { procedureOf } from './turns.ts';

const app = useTestApp({ env, engine: judgingEngine() });
const sql = () => openSuperuser(app.superuserUrl);

/** A workspace with an administrator and two reviewers, and functions for its documents. */
async function open() {
  const admin = await found(app);
  const [first, second] = [await join(app, admin), await join(app, admin)];
  const key = apiKey(admin.apiKey as string);
  const ask = (path: string, input: Fields, as: Person = admin) =>
    viaRpc(app, procedureOf(path), { input, headers: as.bearer });
  const call = async (path: string, input: Fields, as: Person = admin) => {
    const { status, body } = await ask(path, input, as);
    expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, '']);
    return body;
  };
  return {
    ...{ admin, first, second, key, ask, call },
    translate(...cells: string[]): Promise<string> {
      return this.send({ source_document: workbookFile(cells) });
    },
    async send(input: Fields): Promise<string> {
      const form = new FormData();
      const fields = documentForm({ wait: 'true', ...input });
      for (const [name, value] of Object.entries(fields)) form.append(name, value as Blob);
      const sent = await app.request('/api/documents/translate', {
        method: 'POST',
        headers: key,
        body: form,
      });
      return ((await sent.json()) as { id: string }).id;
    },
    read: async (id: string) => (await app.json('GET', `/api/documents/${id}`, { headers: key })).body,
    assign: (id: string, fields: Fields) =>
      call('assignments.assign', { items: [{ kind: 'document', id }], ...fields }),
    pass: (id: string, as: Person, back = false) =>
      call('assignments.pass', { kind: 'document', id, back }, as),
    save: (id: string, replaces: string, target_text: string, as: Person, fields: Fields = {}) =>
      call(
        'documents.save',
        { document_id: id, segments: [{ position: 0, replaces, target_text, ...fields }] },
        as,
      ),
    /** Translates a text with this source, and returns the translation and its origin. */
    async served(source_text: string) {
      const body = { source_text, target_lang: 'fr' };
      const { body: job } = await app.json('POST', '/api/translations', { headers: key, body });
      return [job.final_translation, job.request.metadata.provenance?.fast_path ?? null];
    },
    matches: async (source_text: string) =>
      (await call('memory.matches', { source_text, source_lang: 'en', target_lang: 'fr' })).matches.map(
        ({ kind, origin, target_text }: Fields) => [kind, origin, target_text],
      ),
    render: (documentId: string) =>
      tasks.render_document.run(app.services, { tenantId: admin.tenantId, documentId }),
    audited: async (action: string) => [
      ...(await sql()`select actor_kind, actor_id, target, details, request_id is not null as has_request from audit_log
        where tenant_id = ${admin.tenantId} and action = ${action} order by recorded_at`),
    ],
    events: async (cursor: string) => {
      const input = encodeURIComponent(JSON.stringify({ json: { cursor } }));
      const { body } = await app.json('GET', `/trpc/events.list?input=${input}`, { headers: admin.bearer });
      return body.result.data.json.events.map(({ type }: Fields) => type);
    },
  };
}

const texts = { source: 'Smoking is not allowed.', machine: 'fr of Smoking is not allowed.' };

test.each([
  ['an assignee', false],
  ['a second review', true],
])(
  'a correction of a document with %s is a match for people, and is served after the approval only',
  async (_, isDouble) => {
    const mine = await open();
    const { first, second } = mine;
    const id = await mine.translate(texts.source);
    await mine.assign(id, { assignee: first.userId, ...(isDouble && { second: second.userId }) });
    const right = 'Il est interdit de fumer.';
    const { change_id } = await mine.save(id, texts.machine, right, first, { confirmed: true });
    await mine.render(id);
    expect(await mine.served(texts.source)).toEqual([texts.machine, null]);
    // The text that was just published without a person is in the memory; the correction is only a match.
    expect(await mine.matches(texts.source)).toContainEqual(['close', 'unapproved', right]);
    await mine.call('documents.undo', { document_id: id, change_id }, first);
    expect(await mine.matches(texts.source)).not.toContainEqual(['close', 'unapproved', right]);
    await mine.call('documents.redo', { document_id: id, change_id }, first);
    if (isDouble) await mine.pass(id, first);
    const { updated_at } = await mine.read(id);
    await mine.call('documents.approve', { document_id: id, updated_at }, isDouble ? second : first);
    expect(await mine.served(texts.source)).toEqual([right, 'tm_exact']);
    expect(await mine.matches(texts.source)).not.toContainEqual(['close', 'unapproved', right]);
    // Reopening withdraws it.
    await mine.call('reviews.reopen', { kind: 'document', id });
    expect((await mine.served(texts.source))[0]).not.toBe(right);
    expect(await mine.matches(texts.source)).toContainEqual(['close', 'unapproved', right]);
  },
);

test('an approval after a second review names the version that was seen, and is refused if others have changed it', async () => {
  const mine = await open();
  const { first, second, ask } = mine;
  const id = await mine.translate(texts.source);
  await mine.assign(id, { assignee: first.userId, second: second.userId });
  await mine.pass(id, first);
  const seen = (await mine.read(id)).updated_at;
  const approve = (fields: Fields) => ask('documents.approve', { document_id: id, ...fields }, second);
  const nameless = await approve({});
  expect([nameless.status, nameless.body.error_code]).toEqual([409, 'state_conflict']);
  await mine.pass(id, second, true);
  await mine.save(id, texts.machine, 'Fumer est permis.', first);
  await mine.pass(id, first);
  const stale = await approve({ updated_at: seen });
  expect(stale.status).toBe(409);
  // The error has what changed, with the version that a second attempt names.
  const { updated_at: present } = await mine.read(id);
  expect(stale.body.present).toEqual({
    ...{ updated_at: present, total: 1 },
    segments: [{ position: 0, previous_text: texts.machine, target_text: 'Fumer est permis.' }],
  });
  expect((await mine.read(id)).approved_at).toBeNull();
  // The own changes of the second reviewer, and a rendering, change nothing that she has not seen.
  const read = (await mine.read(id)).updated_at;
  await mine.save(id, 'Fumer est permis.', 'Il est interdit de fumer.', second);
  await mine.render(id);
  expect((await approve({ updated_at: read })).status).toBe(200);
  const after = await mine.read(id);
  expect(after).toMatchObject({ approved_by: second.email, changed_since_approval: null });
  // Now nothing changes before a reopening, which is possible at any time and keeps the second review.
  await sql()`update document_jobs set approved_at = now() - interval '2 years' where document_id = ${id}`;
  await sql()`update review_assignments set closed_at = now() - interval '2 years' where item_id = ${id}`;
  const [segment] = (await app.json('GET', `/api/documents/${id}/segments`, { headers: mine.key })).body
    .segments;
  const { region_id, cell_id } = segment;
  const input = {
    document_id: id,
    corrections: [{ region_id, cell_id, target_text: '900 euros' }],
    reviewer: 'Ann',
  };
  for (const headers of [mine.key, first.bearer, second.bearer, mine.admin.bearer])
    expect((await viaRest(app, procedureOf('documents.review'), { input, headers })).status).toBe(409);
  const files = after.artifacts.length;
  await mine.call('reviews.reopen', { kind: 'document', id }, second);
  await mine.render(id);
  expect((await mine.read(id)).artifacts.length).toBe(files + 1);
  expect((await ask('documents.approve', { document_id: id, updated_at: read }, mine.admin)).status).toBe(
    409,
  );
});

test('a change of an approved document without a second review is recorded and shown until the next approval', async () => {
  const mine = await open();
  const id = await mine.translate('100 euros');
  const input = encodeURIComponent(JSON.stringify({ json: {} }));
  const feed = await app.json('GET', `/trpc/events.list?input=${input}`, { headers: mine.admin.bearer });
  const cursor = feed.body.result.data.json.next_cursor;
  await mine.call('documents.approve', { document_id: id, confirm_critical: true }, mine.first);
  const approved = await mine.read(id);
  expect(approved.changed_since_approval).toBeNull();
  const [segment] = (await app.json('GET', `/api/documents/${id}/segments`, { headers: mine.key })).body
    .segments;
  const { region_id, cell_id } = segment;
  const correction = { document_id: id, corrections: [{ region_id, cell_id, target_text: '900 euros' }] };
  const { status } = await viaRest(app, procedureOf('documents.review'), {
    input: { ...correction, reviewer: 'Ann' },
    headers: mine.key,
  });
  expect(status).toBe(200);
  const changed = await mine.read(id);
  const { approved_at, approved_by } = approved;
  expect(changed).toMatchObject({ approved_at, approved_by, status: 'translated' });
  expect(Date.parse(changed.changed_since_approval)).toBeGreaterThan(Date.parse(approved_at));
  expect(await mine.audited('review_changed')).toEqual([
    {
      ...{ actor_kind: 'api_key', actor_id: null, target: id, has_request: true },
      details: expect.objectContaining({ segments: 1, claimed_reviewer: 'Ann', approved_by }),
    },
  ]);
  expect(await mine.events(cursor)).toEqual(['review.approved', 'review.changed']);
  const { change_id } = await mine.save(id, '900 euros', '1 000 euros', mine.second);
  await mine.call('documents.undo', { document_id: id, change_id }, mine.second);
  expect((await mine.audited('review_changed')).map(({ actor_id }) => actor_id)).toEqual([
    null,
    mine.second.userId,
    mine.second.userId,
  ]);
  // The next approval is recorded separately.
  const { approval_result, job } = await mine.call(
    'documents.approve',
    { document_id: id, confirm_critical: true },
    mine.second,
  );
  expect([approval_result.already_approved, approval_result.reviewer]).toEqual([false, mine.second.email]);
  expect(job).toMatchObject({ changed_since_approval: null, approved_by: mine.second.email });
  const again = await mine.call('documents.approve', { document_id: id }, mine.first);
  expect(again.approval_result).toMatchObject({ already_approved: true, reviewer: mine.second.email });
});

test('a correction is served after the approval only, also if the assignment has ended', async () => {
  const mine = await open();
  const id = await mine.translate(texts.source, 'Dogs stay outside.');
  await mine.assign(id, { assignee: mine.first.userId });
  const right = 'Il est interdit de fumer.';
  await mine.save(id, texts.machine, right, mine.first, { confirmed: true });
  await mine.call('assignments.assign', { items: [{ kind: 'document', id }], assignee: null }, mine.first);
  const other = { position: 1, confirmed: true };
  await mine.save(id, 'fr of Dogs stay outside.', 'Les chiens restent dehors.', mine.second, other);
  await mine.render(id);
  expect(await mine.served(texts.source)).toEqual([texts.machine, null]);
  await mine.call('documents.approve', { document_id: id }, mine.second);
  expect(await mine.served(texts.source)).toEqual([right, 'tm_exact']);
});

test.each(['an assignment', 'a rule', 'a rule without an available member'])(
  'a correction from before %s is withdrawn until the approval',
  async (by) => {
    const mine = await open();
    const id = await mine.translate(texts.source);
    const right = 'Il est interdit de fumer.';
    await mine.save(id, texts.machine, right, mine.second, { confirmed: true });
    await mine.render(id);
    expect(await mine.served(texts.source)).toEqual([right, 'tm_exact']);
    if (by === 'an assignment') await mine.assign(id, { assignee: mine.first.userId });
    else {
      if (by !== 'a rule')
        await mine.call(
          'assignments.saveProfile',
          { user_id: mine.first.userId, away_from: '2000-01-01', away_to: '2999-01-01' },
          mine.first,
        );
      const rule = { assignee: { member: mine.first.userId }, second: null, due: null };
      await mine.call('assignments.saveRules', { rules: [rule] });
      await applyRules(app.services, { tenantId: mine.admin.tenantId, all: true });
    }
    expect(await mine.served(texts.source)).toEqual([texts.machine, null]);
    expect(await mine.matches(texts.source)).toContainEqual(['close', 'unapproved', right]);
    if (by !== 'an assignment') await mine.call('assignments.saveRules', { rules: [] });
    await mine.assign(id, { assignee: mine.first.userId });
    await mine.call('documents.approve', { document_id: id }, mine.first);
    expect(await mine.served(texts.source)).toEqual([right, 'tm_exact']);
  },
);

test('a new version of an assigned document keeps corrections after the approval only', async () => {
  const mine = await open();
  const cells = [texts.source, 'Dogs stay outside.'];
  const id = await mine.translate(...cells);
  await mine.assign(id, { assignee: mine.first.userId });
  const right = 'Il est interdit de fumer.';
  await mine.save(id, texts.machine, right, mine.first, { confirmed: true });
  const update = async (added: string) => {
    const fields = { source_document: workbookFile([...cells, added]), update_of: id };
    const form = new FormData();
    for (const [name, value] of Object.entries(documentForm({ ...fields, dry_run: 'true' })))
      form.append(name, value as Blob);
    const estimate = await app.request('/api/documents/translate', {
      method: 'POST',
      headers: mine.key,
      body: form,
    });
    const { kept } = (await estimate.json()) as { kept: Fields };
    const updated = await mine.send(fields);
    const { body } = await app.json('GET', `/api/documents/${updated}/segments`, { headers: mine.key });
    return [kept['segments'], body.segments[0].target_text, body.segments[1].provenance.kept_from];
  };
  expect(await update('One.')).toEqual([1, texts.machine, id]);
  await mine.call('documents.approve', { document_id: id }, mine.first);
  expect(await update('Two.')).toEqual([2, right, id]);
});

test('texts that stay with a new version are as written, not as a correction that awaits an approval', async () => {
  const mine = await open();
  const file = (content: unknown) => new File([JSON.stringify(content)], 'app.json');
  const id = await mine.send({ source_document: file({ a: texts.source }) });
  await mine.assign(id, { assignee: mine.first.userId, second: mine.second.userId });
  const read = async (of: string, query = '') =>
    (await app.request(`/api/documents/${of}/download${query}`, { headers: mine.key })).json();
  const [written, hashes] = [await read(id), await read(id, '?content=texts')];
  const right = 'Il est interdit de fumer.';
  await mine.save(id, texts.machine, right, mine.first, { confirmed: true });
  const update = async (added: string) =>
    read(
      await mine.send({
        ...{ source_document: file({ a: texts.source, added }), update_of: id },
        ...{ existing_target: file(written), existing_texts: file(hashes) },
      }),
    );
  expect(await update('One')).toMatchObject({ a: texts.machine });
  await mine.pass(id, mine.first);
  const { updated_at } = await mine.read(id);
  await mine.call('documents.approve', { document_id: id, updated_at }, mine.second);
  expect(await update('Two')).toMatchObject({ a: right });
});

test('a document awaits its approval as long as it is assigned, and again after a change', async () => {
  const mine = await open();
  const [free, id] = [await mine.translate('100 euros'), await mine.translate('200 euros')];
  await mine.assign(id, { assignee: mine.first.userId });
  const awaits = async () =>
    (await app.json('GET', '/api/documents', { headers: mine.key })).body
      .filter(({ awaits_approval }: Fields) => awaits_approval)
      .map(({ id: one }: Fields) => one);
  expect([(await mine.read(id)).awaits_approval, (await mine.read(free)).awaits_approval]).toEqual([
    true,
    false,
  ]);
  expect(await awaits()).toEqual([id]);
  await mine.call('documents.approve', { document_id: id, confirm_critical: true }, mine.first);
  expect(await awaits()).toEqual([]);
  await mine.save(id, 'fr of 200 euros', '900 euros', mine.first);
  expect(await awaits()).toEqual([id]);
});

test('no list and no export calls a file approved that was changed since its approval', async () => {
  const mine = await open();
  const id = await mine.translate('100 euros');
  const input = encodeURIComponent(JSON.stringify({ json: { state: 'approved' } }));
  const approved = async () => {
    const { body } = await app.json('GET', `/trpc/documents.files?input=${input}`, {
      headers: mine.admin.bearer,
    });
    const { files, counts } = body.result.data.json;
    return [
      files.map((file: Fields) => file['changed_since_approval']),
      counts.approved,
      counts.needs_review,
    ];
  };
  const stateInXliff = async () => {
    const headers = { ...mine.key, accept: 'application/xliff+xml' };
    const text = await (await app.request(`/api/documents/${id}/segments`, { headers })).text();
    return / state="([a-z]+)"/.exec(text)?.[1];
  };
  await mine.call('documents.approve', { document_id: id, confirm_critical: true });
  expect([await approved(), await stateInXliff()]).toEqual([[[null], 1, 0], 'final']);
  await mine.save(id, 'fr of 100 euros', '900 euros', mine.second);
  expect([await approved(), await stateInXliff()]).toEqual([[[], 0, 1], 'reviewed']);
  await mine.call('documents.approve', { document_id: id, confirm_critical: true });
  expect(await approved()).toEqual([[null], 1, 0]);
});

test('an approval names a version that exists, and is refused if others have moved tags since', async () => {
  const mine = await open();
  const { first, second, ask } = mine;
  const page = '<p>See <a href="/terms">terms</a> and <a href="/privacy">privacy</a> now.</p>';
  const id = await mine.send({ source_document: new File([page], 'page.html') });
  await mine.assign(id, { assignee: first.userId, second: second.userId });
  const { segments } = await mine.call('documents.search', { document_id: id }, first);
  const [{ target_text, target_content }] = segments;
  const swapped = target_content.map((item: string | { tag: number }) =>
    typeof item === 'string' ? item : { ...item, tag: 3 - item.tag },
  );
  expect(swapped).not.toEqual(target_content);
  const approve = async (updated_at: string) =>
    (await ask('documents.approve', { document_id: id, updated_at, confirm_critical: true }, second)).status;
  const read = async () => (await mine.read(id)).updated_at;
  const seen = await read();
  const save = (fields: Fields) =>
    mine.save(id, target_text, target_text, first, { confirmed: true, ...fields });
  await save({ target_content: swapped });
  await mine.pass(id, first);
  expect([await approve(seen), await approve('2999-01-01T00:00:00Z')]).toEqual([409, 409]);
  const moved = await read();
  await mine.pass(id, second, true);
  // A confirmation that changes nothing does not matter.
  await save({ target_content: swapped });
  await mine.pass(id, first);
  expect(await approve(moved)).toBe(200);
});

test('neither a confirmation of all segments nor an approval of several covers what others changed later', async () => {
  const mine = await open();
  const { first, second, ask, call } = mine;
  const id = await mine.translate(texts.source);
  const seen = (await mine.read(id)).updated_at;
  const openIt = () => call('reviews.claim', { kind: 'document', id, opened: true }, second);
  const approveMany = async () =>
    (await call('documents.approveMany', { document_ids: [id] }, second)).results[0];
  const confirmAll = (updated_at: string) =>
    ask(
      'documents.confirmAll',
      { document_id: id, statuses: ['todo', 'draft', 'warning'], updated_at },
      second,
    );
  await openIt();
  await mine.save(id, texts.machine, 'Fumer est permis.', first);
  const stale = await confirmAll(seen);
  expect([stale.status, stale.body.error_code]).toEqual([409, 'conflict']);
  expect(await approveMany()).toMatchObject({ outcome: 'left_out', reason: 'unopened' });
  await openIt();
  expect((await confirmAll((await mine.read(id)).updated_at)).body).toMatchObject({ confirmed: 1 });
  expect(await approveMany()).toMatchObject({ outcome: 'done' });
});
