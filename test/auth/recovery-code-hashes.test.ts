import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { lockMember } from '#server/identity/access/sessions.ts';
import { redeemRecoveryCode } from '#server/identity/auth/mfa/recovery-codes.ts';
import type { SecretsKeys } from '#server/platform/encryption.ts';
import { type Enrolled, foundEnrolled } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let member: Enrolled;
beforeEach(async () => {
  member = await foundEnrolled(app);
});

/** Inputs that a reader of the database would try to hash: the code, and the code after any value of the same row. */
function guesses(code: string): string[] {
  const { tenantId, userId, email } = member;
  const owners = [
    tenantId,
    userId,
    email,
    `${tenantId}/${userId}`,
    `${tenantId}:${userId}`,
    tenantId + userId,
  ];
  const forms = [code, code.replace('-', ''), code.toUpperCase(), code.replace('-', '').toUpperCase()];
  return forms.flatMap((form) => [
    form,
    ...owners.flatMap((owner) =>
      ['', '/', ':', '.', ' '].flatMap((mark) => [owner + mark + form, form + mark + owner]),
    ),
  ]);
}

describe('recovery codes are too short for a plain hash', () => {
  test('the stored value is not the SHA-256 of any spelling of a code', async () => {
    const rows = await openSuperuser(app.superuserUrl)`
      select encode(code_hash, 'hex') as hash from recovery_codes where user_id = ${member.userId}`;
    const stored = new Set(rows.map(({ hash }) => hash));
    expect(stored.size).toBe(10);
    for (const hash of stored) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    for (const guess of member.recoveryCodes.flatMap(guesses))
      expect(stored).not.toContain(createHash('sha256').update(guess).digest('hex'));
  });

  test('the hash depends on SECRETS_KEY: with another one a right code fails', async () => {
    const { tenantId, userId, recoveryCodes } = member;
    const redeem = (secretsKeys: SecretsKeys) =>
      app.database.inTenant(tenantId, async (tx) => {
        const user = await lockMember(tx, tenantId, userId);
        if (!user) throw new Error('no such member');
        return redeemRecoveryCode(tx, secretsKeys, user, recoveryCodes[0] as string);
      });
    expect(await redeem({ current: Buffer.alloc(32, 1), previous: null })).toBeUndefined();
    expect(await redeem(app.services.secretsKeys)).toBe(9);
  });
});
