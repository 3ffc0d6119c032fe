import { describe, expect, test } from 'vitest';
import { founding } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { everyRow } from '#test/setup/stored-rows.ts';
import { signingUpAt } from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const { post, expectRefused } = signingUpAt(app);

describe('A 4.2: monthly_char_limit', () => {
  test.each([
    ['null stands for the default', null, 500_000],
    ['a smaller value is kept', 1, 1],
    ['the default itself is kept', 500_000, 500_000],
    ['one more is clamped, not rejected', 500_001, 500_000],
    ['a far larger value is clamped', 9_000_000_000_000, 500_000],
    ['one beyond 2^53 too', 1e16, 500_000],
    ['the largest of all', Number.MAX_VALUE, 500_000],
  ])('%s', async (_name, limit, kept) => {
    const { status, body } = await post(founding({ monthly_char_limit: limit }));
    expect(status).toBe(200);
    expect(body.account.monthly_char_limit).toBe(kept);
  });

  test.each([
    ['zero', 0],
    ['a negative', -1],
    ['a fraction', 1.5],
    ['a string', '1000'],
    ['a boolean', true],
  ])('%s is not an integer >= 1: 422 naming the field, nothing created', async (_name, limit) => {
    const { body } = await expectRefused(founding({ monthly_char_limit: limit }), { status: 422 });
    expect(body.detail[0].loc).toContain('monthly_char_limit');
  });
});

describe('A 2.1, 4.2: metadata', () => {
  const owned = {
    pay_tier: 'smuggled-01',
    PAY_CUSTOMER_ID: 'smuggled-02',
    Trial_Chars_Granted: 'smuggled-03',
    trial_: 'smuggled-04',
    topup_chars_purchased: 'smuggled-05',
    tOpUp_x: 'smuggled-06',
    mfa_required: 'smuggled-07',
    MFA_required_for_sso: 'smuggled-08',
    sso_domain: 'smuggled-09',
    SSO_x: 'smuggled-10',
    invites_pending: 'smuggled-11',
    Invites_x: 'smuggled-12',
    storage_binding: 'smuggled-13',
    STORAGE_X: 'smuggled-14',
    oidc_org_id: 'smuggled-15',
    OIDC_Org_Id: 'smuggled-16',
  };
  const free = {
    team: 'docs',
    payments: 'kept',
    trial: true,
    pay: 1,
    my_pay_tier: 'kept',
    storages: ['a', 1, null],
    nested: { deep: { er: 'kept' } },
    'clé 😀': 'kept',
    '': 'kept',
  };

  test('platform-owned keys are stripped in any case, every other key is kept as it was sent', async () => {
    const { status, body } = await post(founding({ metadata: { ...owned, ...free } }));
    expect(status).toBe(200);
    expect(body.account.metadata).toEqual(free);
  });

  test('neither a stripped key nor its value is stored anywhere', async () => {
    await post(founding({ metadata: { ...owned, marker: 'kept-marker' } }));
    const rows = await everyRow(openSuperuser(app.superuserUrl));
    expect(rows.some(({ row }) => row.includes('kept-marker'))).toBe(true);
    expect(rows.filter(({ row }) => row.includes('smuggled-'))).toEqual([]);
  });

  test.each([
    ['an array', ['pay_tier']],
    ['a string', 'pay_tier'],
    ['a number', 7],
  ])('%s is not an object: 422', async (_name, metadata) => {
    await expectRefused(founding({ metadata }), { status: 422 });
  });
});
