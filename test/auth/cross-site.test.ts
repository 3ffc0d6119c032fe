import { beforeEach, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openWorkspace, type Workspace } from '#test/translations/workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
let mine: Workspace;
beforeEach(async () => {
  mine = await openWorkspace(app);
});

test('C 7: without the cookie another site’s page may ask, with a key', async () => {
  const { status } = await mine.submit(
    { source_text: 'Hello', target_lang: 'fr' },
    { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
  );
  expect(status).toBe(200);
});

test('C 7: with the cookie, a page of a sibling host is another site’s too', async () => {
  const job = await mine.job();
  const { status } = await mine.remove(job.id, { ...mine.cookie, 'sec-fetch-site': 'same-site' });
  expect(status).toBe(403);
  expect((await mine.get(job.id)).status).toBe(200);
});
