import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import superjson from 'superjson';
import { expect, test } from 'vitest';
import type { AppRouter } from '#server/router.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp();

test('tRPC’s own client calls the procedures, with the router’s types', async () => {
  const { apiKey } = await app.signUp();
  const client = createTRPCClient<AppRouter>({
    links: [
      httpLink({ url: `${app.address}/trpc`, transformer: superjson, headers: { 'x-api-key': apiKey } }),
    ],
  });
  const job = await client.translations.create.mutate({ source_text: 'Hello', target_lang: 'fr' });
  if ('dry_run' in job) throw new Error('this is no estimate');
  expect(job.final_translation).toBe('[fr] Hello');
  expect((await client.translations.search.query({ limit: 5 })).jobs.map(({ id }) => id)).toEqual([job.id]);
  const error = await client.translations.get.query({ job_id: 'none' }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(TRPCClientError);
  expect(error.data).toMatchObject({ httpStatus: 404, error_code: 'not_found' });
});
