import fastify from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import { serveRest } from '#rest/adapter.ts';
import { acceptBodies } from '#rest/body-parsers.ts';
import { handleErrors } from '#rest/errors.ts';
import { contextOf } from '#server/app.ts';
import type { Services } from '#server/context.ts';
import { serveRpc } from '#server/http/rpc-handler.ts';
import type { AppRouter } from '#server/router.ts';
import { readSettings } from '#server/settings.ts';
import type { router } from '#server/trpc.ts';

/** Serves a router of the test over REST and /trpc, without a database. Returns functions that send requests to it. */
export function useBothTransports(served: ReturnType<typeof router>, env: NodeJS.ProcessEnv = {}) {
  const settings = readSettings(env);
  const http = fastify({ bodyLimit: settings.MAX_REQUEST_BYTES });
  let address: string;

  beforeAll(async () => {
    const services = { settings, log: http.log } as unknown as Services;
    const appRouter = served as unknown as AppRouter;
    handleErrors(http);
    acceptBodies(http);
    serveRest(http, appRouter, contextOf(services, true), services);
    serveRpc(http, appRouter, contextOf(services, false));
    address = await http.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => http.close());

  return async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${address}${path}`, init);
    // biome-ignore lint/suspicious/noExplicitAny: the tests look into any response
    return { status: response.status, body: (await response.json()) as any };
  };
}
