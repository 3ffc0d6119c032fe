import { beforeEach, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { type Fields, found, join, type Person } from '#test/factories.ts';
import { attemptAll, confirmAddresses, mailEnv, useSmtp } from '#test/mail/outbox.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env: mailEnv });

let admin: Person;
let other: Person;
beforeEach(async () => {
  admin = await found(app);
  other = await join(app, admin, 'global_administrator');
  await join(app, admin);
  await confirmAddresses(app, admin);
});

const rule = (fields: Fields) => ({ assignee: null, second: null, due: null, ...fields });
const strict = rule({ domain: 'legal', second: 'fewest_words' });
const french = rule({ target_lang: 'fr', second: 'fewest_words' });
const easy = rule({ min_words: 10 });

async function save(...rules: Fields[]): Promise<void> {
  const call = { path: 'assignments.saveRules', type: 'mutation' } as const;
  expect((await viaRpc(app, call, { input: { rules }, headers: admin.bearer })).status).toBe(200);
}
const removals = async () =>
  (await eventsOf(app, admin.tenantId, 'second_review_removed')).map(({ details }) => details);

describe('a change of the rules by which fewer items need a second review', () => {
  test.each<[string, Fields[], number]>([
    ['the rule is removed', [french], 1],
    ['all rules are removed', [], 2],
    ['the rule demands none', [french, rule({ ...strict, second: null })], 1],
    ['the first rule demands none', [rule({ ...strict, second: null }), french], 2],
    ['the rule has other conditions', [rule({ ...strict, min_words: 5000 }), french], 1],
    ['a rule without one comes first', [easy, strict, french], 2],
    ['a rule without one comes between', [strict, easy, french], 1],
  ])('is recorded and told to the administrators: %s', async (_name, after, removed) => {
    await save(strict, french);
    const smtp = await useSmtp();
    await save(...after);
    expect(await removals()).toEqual([{ rules: removed }]);
    const mails = await attemptAll(app, smtp, admin.tenantId);
    expect(mails.map(({ to }) => to).toSorted()).toEqual([admin.email, other.email].toSorted());
    for (const { headers, text } of mails) {
      expect(headers['subject']).toBe('Fewer items need a second review');
      expect(text).toContain('https://lingua.example.org/app/settings/members');
    }
  });

  test.each<[string, Fields[]]>([
    ['the same rules', [strict, french]],
    ['in another order', [french, strict]],
    ['another member and due date', [rule({ ...strict, due: { hours: 3 }, second: 'fewest_words' }), french]],
    ['a rule without one comes last', [strict, french, easy]],
    ['another rule with one', [rule({ second: 'fewest_words' }), strict, french]],
  ])('is nothing else: %s', async (_name, after) => {
    await save(strict, french);
    const smtp = await useSmtp();
    await save(...after);
    expect(await removals()).toEqual([]);
    expect(await attemptAll(app, smtp, admin.tenantId)).toEqual([]);
  });
});

test('an assignment removes second reviews only with a recent proof; they are recorded and told in one mail', async () => {
  const body = { source_text: 'Hello', target_lang: 'fr', domain: 'legal' };
  const jobs = [0, 1].map(() => app.json('POST', '/api/translations', { headers: admin.bearer, body }));
  const items = (await Promise.all(jobs)).map((job) => ({ kind: 'job', id: job.body.id }));
  const assign = (fields: Fields, as = admin) =>
    viaRpc(
      app,
      { path: 'assignments.assign', type: 'mutation' },
      { input: { items, ...fields }, headers: as.bearer },
    );
  const member = await join(app, admin);
  expect((await assign({ assignee: member.userId, second: other.userId })).status).toBe(200);
  expect((await assign({ second: null }, member)).body.results).toMatchObject([
    { http_status: 403 },
    { http_status: 403 },
  ]);
  const smtp = await useSmtp();
  await openSuperuser(app.superuserUrl)`
    update tokens set proved_at = now() - interval '601 s' where user_id = ${admin.userId}`;
  const removal = { second: null, assignee: admin.userId };
  expect((await assign(removal)).body.error_code).toBe('proof_required');
  expect(await removals()).toEqual([]);
  expect((await assign({ second: other.userId, assignee: admin.userId })).status).toBe(200);
  await openSuperuser(app.superuserUrl)`update tokens set proved_at = now() where user_id = ${admin.userId}`;
  expect((await assign(removal)).status).toBe(200);
  expect(await removals()).toEqual(items.map(() => ({ kind: 'job', former: other.userId })));
  const told = (await attemptAll(app, smtp, admin.tenantId)).filter(
    ({ headers }) => headers['subject'] === 'Fewer items need a second review',
  );
  expect(told.map(({ to }) => to).toSorted()).toEqual([admin.email, other.email].toSorted());
});
