import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { serveRest } from '#rest/adapter.ts';
import type { Services } from '#server/context.ts';
import type { AppRouter } from '#server/router.ts';
import { readSettings } from '#server/settings.ts';
import { procedure, type Route, router } from '#server/trpc.ts';
import { useBothTransports } from './both-transports.ts';

const route = (method: Route['method'], path: Route['path'], more: Partial<Route> = {}) => ({
  route: { method, path, tag: 'T', summary: 'S', ...more },
});
const echo = z.record(z.string(), z.unknown());

const send = useBothTransports(
  router({
    security: procedure
      .meta(route('PATCH', '/security', { query: ['tenant_id', 'dry', 'most'] }))
      .input(
        z.object({
          tenant_id: z.string().optional(),
          dry: z.boolean().optional(),
          most: z.number().optional(),
          required: z.boolean().optional(),
        }),
      )
      .output(echo)
      .mutation(({ input }) => input),
    restore: procedure
      .meta(route('POST', '/users/{user_id}/restore', { query: ['tenant_id'] }))
      .input(z.object({ user_id: z.string(), tenant_id: z.string() }))
      .output(echo)
      .mutation(({ input }) => input),
  }),
);

function post(path: string, body?: string, type = 'application/json') {
  const headers: Record<string, string> = body === undefined ? {} : { 'content-type': type };
  return send(path, { method: 'POST', headers, ...(body !== undefined && { body }) });
}

describe('inputs of the query beside a body', () => {
  const patch = (query: string, body: unknown) =>
    send(`/security${query}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('come from the query in the types of their schemas, the others from the body', async () => {
    const { body } = await patch('?tenant_id=5&dry=true&most=7&required=false', { required: true });
    expect(body).toEqual({ tenant_id: '5', dry: true, most: 7, required: true });
  });

  test('never come from the body', async () => {
    expect((await patch('', { tenant_id: 'foreign', required: true })).body).toEqual({ required: true });
    const { body } = await patch('?tenant_id=own', { tenant_id: 'foreign' });
    expect(body).toEqual({ tenant_id: 'own' });
  });

  test('are refused under their own names', async () => {
    const { status, body } = await patch('?most=many', {});
    expect([status, body.detail[0].loc]).toEqual([422, ['query', 'most']]);
    expect((await patch('?tenant_id=a&tenant_id=b', {})).body.detail[0].loc).toEqual(['query', 'tenant_id']);
    const nul = await patch('?tenant_id=%00', {});
    expect([nul.status, nul.body.detail[0].loc]).toEqual([422, ['query', 'tenant_id']]);
  });

  test('the body is JSON as usual, and may be left out if it has no required field', async () => {
    expect((await send('/security?tenant_id=own', { method: 'PATCH' })).status).toBe(200);
    const answer = await patch('?tenant_id=own', '[]');
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['body']]);
  });

  test('a route with all inputs in path and query takes no body: one that is sent is ignored', async () => {
    const expected = { status: 200, body: { user_id: 'u', tenant_id: 'own' } };
    const path = '/users/u/restore?tenant_id=own';
    expect(await post(path)).toEqual(expected);
    expect(await post(path, '{"tenant_id":"foreign","user_id":"x"}')).toEqual(expected);
    expect(await post(path, '{')).toEqual(expected);
    expect(await post(path, 'tenant_id=foreign', 'application/x-www-form-urlencoded')).toEqual(expected);
    expect((await post('/users/u/restore', '{"tenant_id":"x"}')).body.detail[0].loc).toEqual([
      'query',
      'tenant_id',
    ]);
  });
});

describe('a router that cannot be served is refused at the start', () => {
  const make = (path: Route['path'], more: Partial<Route>) =>
    procedure
      .meta(route('POST', path, more))
      .input(z.object({ a: z.string() }))
      .output(echo)
      .mutation(({ input }) => input);
  const start = (record: Parameters<typeof router>[0]) => {
    const services = { settings: readSettings({}) } as unknown as Services;
    serveRest(
      { route: () => {} } as never,
      router(record) as unknown as AppRouter,
      () => null as never,
      services,
    );
  };

  test('a query parameter that is not an input', () => {
    expect(() => start({ x: make('/x', { query: ['b'] }) })).toThrow('x: the query parameter b');
  });

  test('two procedures at one address, one of them with a form', () => {
    const two = { x: make('/x', { chosenBy: 'b' }), y: make('/x', { body: 'form' }) };
    expect(() => start(two)).toThrow('only a procedure with a JSON body can share its path');
  });
});
