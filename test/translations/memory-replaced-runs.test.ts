import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openSets } from '#test/translation-memory/sets.ts';
import { heldReply, liveEngine } from './live.ts';

const fake = await useFakeOpenAi();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: liveEngine(fake) });

test('a run that another has replaced adds nothing to the memory', async () => {
  const mine = await openSets(app);
  const request = { source_text: 'The cat sleeps on the warm roof.', target_lang: 'de' };
  const headers = { ...mine.headers, 'idempotency-key': 'once' };
  const send = () => app.json('POST', '/api/translations', { headers, body: request });
  const stale = 'Der alte Kater schläft auf dem warmen Dach.';
  const fresh = 'Die Katze schläft auf dem warmen Dach.';

  const { held, reached, letGo } = heldReply(translatingReply({ translate: () => stale }));
  fake.otherwise(held);
  const first = send();
  await reached;
  await app.database.inPlatform((tx) =>
    tx.execute(
      sql`update translation_jobs set updated_at = now() - interval '1 hour' where status = 'pending'`,
    ),
  );
  fake.otherwise(translatingReply({ translate: () => fresh }));
  const second = await send();
  expect(second.body.final_translation).toBe(fresh);
  fake.otherwise(translatingReply({ translate: () => stale }));
  letGo();
  expect((await first).body.final_translation).toBe(fresh);

  const again = await mine.job(request);
  expect(again.final_translation).toBe(fresh);
  const sets = await mine.memories();
  expect(sets.map((set: { entry_count: number }) => set.entry_count)).toEqual([1]);
});
