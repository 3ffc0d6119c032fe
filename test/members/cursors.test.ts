import { beforeAll, describe, expect, test } from 'vitest';
import { env, found, invite, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env });

let admin: Person;
beforeAll(async () => {
  admin = await found(app);
  await join(app, admin);
  await invite(app, admin);
});

const listings = ['/api/auth/users', '/api/tenants', '/api/tenants/invites', '/api/translations'];
const id = '0'.repeat(32);

const page = async (path: string, time: string) => {
  const cursor = Buffer.from(`${time} ${id}`).toString('base64url');
  const { status, body } = await app.json('GET', `${path}?cursor=${cursor}`, { headers: admin.bearer });
  return { status, body };
};

describe.each(listings)('C 7: GET %s', (path) => {
  test.each([
    ['the year 0', '0000-01-01T00:00:00.000Z'],
    ['a year before the calendar’s', '0999-12-31T23:59:59.999Z'],
    ['a month that is none', '2024-13-01T00:00:00.000Z'],
    ['a year of more digits', '12024-01-01T00:00:00.000Z'],
    ['a year with a sign', '+12024-01-01T00:00:00.000Z'],
    ['a year before Christ', '-00001-01-01T00:00:00.000Z'],
    ['an end of the day that is in a year of more digits', '9999-12-31T24:00:00.000Z'],
    ['no time', 'infinity'],
  ])('a cursor of %s is 422, like any cursor that was never issued', async (_, time) => {
    const { status, body } = await page(path, time);
    expect([status, body.detail]).toEqual([422, [expect.objectContaining({ loc: ['query', 'cursor'] })]]);
  });

  test.each(['1000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '2024-02-29T12:00:00.000Z'])(
    'one of %s is accepted',
    async (time) => {
      const { status, body } = await page(path, time);
      expect([status, Array.isArray(body)]).toEqual([200, true]);
    },
  );
});
