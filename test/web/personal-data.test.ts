import { describe, expect, test } from 'vitest';
import { administrator, env, openTeam } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { signIn } from './admin.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const app = useTestApp({ env: { ...env, BASE_URL: '', AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);
const sql = () => openSuperuser(app.superuserUrl);

describe.skipIf(withoutBrowser)('an administrator', () => {
  test('removes the personal data of a member whose access is revoked', async () => {
    const team = await openTeam(app);
    const colleague = await team.join();
    await sql()`update users set active = false, role = ${administrator} where user_id = ${colleague.userId}`;
    const { page } = await browser.person('/app/settings/members?revoked=true');
    await signIn(page, team.founder);
    await page.getByRole('button', { name: `Manage ${colleague.email}` }).click();
    const dialog = page.getByRole('dialog', { name: colleague.email });
    await dialog.getByRole('button', { name: 'Remove personal data' }).click();
    const question = page.getByRole('dialog', { name: 'Remove personal data' });
    await question.getByRole('button', { name: 'Remove personal data' }).click();
    await dialog.waitFor({ state: 'detached' });
    const queued = await sql()`select payload ->> 'userId' as id from graphile_worker._private_jobs
      where payload ->> 'userId' = ${colleague.userId}`;
    expect(queued).toHaveLength(1);
  });
});
