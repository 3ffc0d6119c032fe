import { beforeEach, expect, test } from 'vitest';
import { segmentationOf } from '#server/language/segmentation/rules.ts';
import { sentencesIn } from '#server/matching/sentences/index.ts';
import { viaRpc } from '#test/contract/call.ts';
import { addSegmentation, env, type Fields, found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

const call = (name: 'get' | 'save' | 'delete', input: Fields = {}, { bearer } = admin) =>
  viaRpc(
    app,
    { path: `segmentation.${name}`, type: name === 'get' ? 'query' : 'mutation' },
    { input, headers: bearer },
  );

test('a saved file is returned as it was sent, replaced by the next, and deleted, with events', async () => {
  expect((await call('get')).status).toBe(404);
  const first = await addSegmentation(app, admin, 'first.srx');
  expect(first).toEqual({
    version: expect.any(String),
    name: 'first.srx',
    srx: expect.stringContaining('<srx version="2.0">'),
    updated_at: expect.any(String),
    updated_by: admin.email,
  });
  await addSegmentation(app, admin, 'second.srx');
  expect((await call('get')).body).toMatchObject({ name: 'second.srx', srx: first.srx });
  expect((await call('delete')).status).toBe(200);
  expect((await call('delete')).status).toBe(200);
  expect((await call('get')).body.detail).toBe('segmentation rules not found');
  expect(await eventsOf(app, admin.tenantId, 'segmentation_saved')).toMatchObject([
    { actor: ['member', admin.userId], details: { name: 'first.srx' } },
    { details: { name: 'second.srx' } },
  ]);
  expect(await eventsOf(app, admin.tenantId, 'segmentation_deleted')).toMatchObject([
    { details: { name: 'second.srx' } },
  ]);
});

test('a change of rules that were changed since they were read is refused, and sent again accepted', async () => {
  const { version: first, srx } = await addSegmentation(app, admin, 'first.srx');
  const mine = { name: 'mine.srx', srx, version: first };
  const { body: saved } = await call('save', mine);
  expect(await call('save', mine)).toMatchObject({ status: 200, body: { version: saved.version } });
  for (const version of [first, null]) {
    const { status, body } = await call('save', { ...mine, name: 'theirs.srx', version });
    expect([status, body.error_code]).toEqual([409, 'state_conflict']);
  }
  expect((await call('delete', { version: first })).status).toBe(409);
  expect((await call('get')).body.name).toBe('mine.srx');
  expect((await call('delete', { version: saved.version })).status).toBe(200);
  expect((await call('delete', { version: saved.version })).status).toBe(200);
});

test('a file that cannot be used is refused with the reason, and the former one stays', async () => {
  const { srx } = await addSegmentation(app, admin);
  const broken = srx.replace('>;<', '>(?=;)<');
  const { status, body } = await call('save', { name: 'broken.srx', srx: broken });
  expect([status, body.detail]).toEqual([
    422,
    'rule 1: conditions such as (?=…) and (?<=…) are not supported',
  ]);
  expect((await call('get')).body.srx).toBe(srx);
});

test('saved rules divide the texts of the workspace from the next text on', async () => {
  const text = 'One; two. Three';
  const sentences = async () => {
    const { tenantId } = admin;
    const rules = await app.services.database.inTenant(tenantId, segmentationOf);
    await rules?.divide([{ text, language: 'en' }], { tenantId });
    return sentencesIn(text, 'en', rules).length;
  };
  expect(await sentences()).toBe(2);
  const { srx } = await addSegmentation(app, admin);
  expect(await sentences()).toBe(2);
  await call('save', { name: 'other', srx: srx.replace('>;<', '>[;.]<') });
  expect(await sentences()).toBe(3);
  await call('delete');
  expect(await sentences()).toBe(2);
});
