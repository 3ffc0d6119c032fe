import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { procedure, router } from '#server/trpc.ts';
import { useBothTransports } from './both-transports.ts';

const served = router({
  who: procedure
    .meta({ route: { method: 'GET', path: '/who', tag: 'T', summary: 'S' } })
    .output(z.object({ address: z.string(), a: z.string().nullable(), b: z.string().nullable() }))
    .query(({ ctx }) => ({ address: ctx.clientAddress, a: ctx.cookie('a'), b: ctx.cookie('b') })),
});

describe('the client address of a request (C 2)', () => {
  const forwarded = { headers: { 'x-forwarded-for': '1.1.1.1, 2.2.2.2' } };
  const direct = useBothTransports(served);
  const behindTwo = useBothTransports(served, { TRUST_PROXY: '2' });

  test('without TRUST_PROXY it is the socket’s, whatever a header says', async () => {
    expect((await direct('/who', forwarded)).body.address).toBe('127.0.0.1');
  });

  test('with TRUST_PROXY it is the one that the proxies saw, over REST and /trpc', async () => {
    expect((await behindTwo('/who', forwarded)).body.address).toBe('1.1.1.1');
    expect((await behindTwo('/trpc/who', forwarded)).body.result.data.json.address).toBe('1.1.1.1');
    expect((await behindTwo('/who')).body.address).toBe('127.0.0.1');
  });
});

describe('a cookie of a request', () => {
  const send = useBothTransports(served);
  const sent = (cookie: string) => send('/who', { headers: { cookie } });

  test.each([
    ['b=1; a=x', 'x'],
    ['  a = x ; b=1', 'x'],
    ['aa=x; ba=y; b=a=z', null],
    ['a=', null],
    ['a=x; a=y', 'x'],
    ['a=x=y==', 'x=y=='],
    [`${'c=1;'.repeat(900)}a=x`, 'x'],
    [`${'c=1;'.repeat(1000)}a=x`, null],
  ])('%s', async (header, value) => {
    expect((await sent(header)).body.a).toBe(value);
  });

  test('on /trpc there is none', async () => {
    const { body } = await send('/trpc/who', { headers: { cookie: 'a=x' } });
    expect(body.result.data.json.a).toBeNull();
  });
});
