import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { founding } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { everyRow } from '#test/setup/stored-rows.ts';
import { signingUpAt } from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const { post } = signingUpAt(app);

/** Forms in which a secret may be stored: unchanged, in hexadecimal, in base64. */
function disguises(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url')];
}

describe('A 2.1: secrets at rest', () => {
  test('key, tokens and password stand in no column of any table, in no encoding', async () => {
    const password = 'Wholly-Unrepeatable-Passphrase-77';
    const { body } = await post(founding({ tenant_name: 'Searchable Name', password }));
    const key: string = body.tenant_api_key;
    const { access_token: access, refresh_token: refresh } = body.token;
    // Use each credential once: serving a request must not store it either.
    for (const headers of [
      { 'x-api-key': key },
      { authorization: `Bearer ${key}` },
      { authorization: `Bearer ${access}` },
    ]) {
      const job = await app.json('POST', '/api/translations', {
        headers,
        body: { source_text: 'Hello', target_lang: 'fr' },
      });
      expect(job.status).toBe(200);
    }

    const rows = await everyRow(openSuperuser(app.superuserUrl));
    // The search finds secrets that are present.
    expect(rows.some(({ row }) => row.includes('Searchable Name'))).toBe(true);
    for (const secret of [key, access, refresh, password]) {
      for (const form of disguises(secret)) {
        expect(rows.filter(({ row }) => row.includes(form)).map(({ table }) => table)).toEqual([]);
      }
    }
  });

  test('of the key only a SHA-256 hash and the first 8 characters are kept', async () => {
    const { body } = await post(founding());
    const key: string = body.tenant_api_key;
    const rows = await everyRow(openSuperuser(app.superuserUrl));
    const hash = createHash('sha256').update(key).digest();
    const forms = [hash.toString('hex'), hash.toString('base64'), hash.toString('base64url')];
    expect(rows.some(({ row }) => forms.some((form) => row.includes(form)))).toBe(true);
    expect(rows.some(({ row }) => row.includes(key.slice(0, 8)))).toBe(true);
    expect(rows.filter(({ row }) => row.includes(key.slice(0, 9)))).toEqual([]);
  });

  test('a password is not kept as a bare digest either', async () => {
    const password = 'Digested-Nowhere-At-All-88';
    expect((await post(founding({ password }))).status).toBe(200);
    const rows = await everyRow(openSuperuser(app.superuserUrl));
    for (const name of ['md5', 'sha1', 'sha256', 'sha512']) {
      const digest = createHash(name).update(password).digest();
      for (const form of [digest.toString('hex'), digest.toString('base64'), digest.toString('base64url')]) {
        expect(rows.some(({ row }) => row.includes(form))).toBe(false);
      }
    }
  });
});
