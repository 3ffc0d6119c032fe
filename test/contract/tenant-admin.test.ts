import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { serveRest } from '#rest/adapter.ts';
import { acceptBodies } from '#rest/body-parsers.ts';
import { handleErrors } from '#rest/errors.ts';
import { type RestProcedure, restProcedures } from '#rest/procedures.ts';
import { contextOf } from '#server/app.ts';
import { serveRpc } from '#server/http/rpc-handler.ts';
import { deferredTenantAdminProcedure } from '#server/identity/access/guards/tenant.ts';
import type { AppRouter } from '#server/router.ts';
import { router } from '#server/trpc.ts';
import { connect } from '#test/setup/app.ts';
import { viaRest, viaRpc } from './call.ts';
import { useGuardFixture } from './guards/guard-fixture.ts';

// A procedure that returns the caller's tenant. No procedure of the service with this guard does.
const served = router({
  whose: deferredTenantAdminProcedure('admin')
    .meta({ route: { method: 'PUT', path: '/api/whose', tag: 'Test', summary: 'Whose tenant it is' } })
    .output(z.object({ tenant_id: z.string() }))
    .mutation(({ ctx }) => ctx.withTenant(async (_tx, { tenant }) => ({ tenant_id: tenant.id }))),
}) as unknown as AppRouter;
const [whose] = restProcedures(served) as [RestProcedure];

const fixture = useGuardFixture();
const http = fastify();
let at: ReturnType<typeof connect>;

beforeAll(async () => {
  const { services } = fixture.app;
  handleErrors(http);
  acceptBodies(http);
  serveRest(http, served, contextOf(services, true), services);
  serveRpc(http, served, contextOf(services, false));
  at = connect(await http.listen({ host: '127.0.0.1', port: 0 }));
});
afterAll(() => http.close());

test('the guard tenant_admin admits each caller only to their own tenant', async () => {
  const { founder, neighbour, operator } = fixture;
  const headers = { ...neighbour.bearer, ...operator.key };
  const bodies = [
    await viaRest(at, whose, { headers: founder.key }),
    await viaRest(at, whose, { headers: founder.cookie }),
    await viaRpc(at, whose, { headers: founder.bearer }),
    await viaRest(at, whose, { headers: neighbour.bearer }),
    await viaRpc(at, whose, { headers }),
  ].map(({ body }) => body.tenant_id);
  const { tenantId: mine } = founder;
  expect(bodies).toEqual([mine, mine, mine, neighbour.tenantId, neighbour.tenantId]);
});
