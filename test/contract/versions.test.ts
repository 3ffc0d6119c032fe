import { describe, expect, test } from 'vitest';
import { restProcedures } from '#rest/procedures.ts';
import { appRouter } from '#server/router.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const version = '2026-09-01';
const refused = {
  status: 400,
  detail: `unknown api-version: '2020-01-01' is not a released version. Supported: ${version}`,
  served: null,
};

const addresses = new Map(
  restProcedures(appRouter).map(({ route }) => [`${route.method} ${route.path}`, route]),
);

describe.each([...addresses])('%s', (_address, { method, path, versioned }) => {
  const ask = async (query: string, header?: string) => {
    const headers = header === undefined ? {} : { 'x-api-version': header };
    const address = `${path.replaceAll(/\{\w+\}/g, 'f'.repeat(32))}${query}`;
    const response = await app.request(address, { method, headers });
    const text = await response.text();
    return {
      status: response.status,
      detail: text === '' ? undefined : JSON.parse(text).detail,
      served: response.headers.get('x-api-version'),
    };
  };

  // Each route has exactly one of these two tests. The other one is not declared, because a skipped test would look
  // like a gap.
  if (versioned === false)
    test('is not versioned, and ignores a requested version', async () => {
      expect(['GET /healthz', 'POST /api/stripe/webhook']).toContain(`${method} ${path}`);
      for (const answer of [await ask('?api-version=2020-01-01'), await ask('', 'nonsense')]) {
        expect(answer.served).toBeNull();
        expect(answer.detail ?? '').not.toContain('api-version');
      }
    });
  else
    test('is versioned, by the query parameter or the header', async () => {
      expect((await ask('')).served).toBe(version);
      expect((await ask(`?api-version=${version}`, '2020-01-01')).served).toBe(version);
      expect((await ask('', version)).served).toBe(version);
      expect(await ask('?api-version=2020-01-01', version)).toEqual(refused);
      expect(await ask('', '2020-01-01')).toEqual(refused);
    });
});
