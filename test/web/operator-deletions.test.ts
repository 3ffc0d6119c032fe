import { describe, expect, test } from 'vitest';
import { enrol } from '#test/auth/mfa.ts';
import { addAdministrator, openOperators, operatorEnv } from '#test/factories/operators.ts';
import { administrator, openTeam, signUpFounder } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode } from '#test/setup/totp.ts';
import { signIn } from './admin.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { sessionCookie } from './screens.ts';

const app = useTestApp({ env: { ...operatorEnv, BASE_URL: '', AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);
const sql = () => openSuperuser(app.superuserUrl);

describe.skipIf(withoutBrowser)('an operator', () => {
  test('counts, schedules and cancels the deletion of a workspace, and sees the report of another', async () => {
    const customer = await signUpFounder(app);
    const { tenantId } = customer;
    await sql()`update tenants set name = 'Customer <b>&</b> Sons' where tenant_id = ${tenantId}`;
    await openOperators(app);
    const person = await addAdministrator(app, 'first@ops.example', { enrolled: false });
    const { secret } = await enrol(app, person);
    await sql()`insert into tenant_deletions (tenant_id, due_at, started_at, finished_at, was_active, tenant_created_at, progress)
      values ('gone', now(), now(), now(), true, now(), ${sql().json({
        rows: { translation_jobs: 1200, users: 3 },
        objects: 40,
        accountObjects: 2,
        leftInAccount: 5,
        queuedJobs: 0,
        manifestLines: 9,
        manifestsThrough: null,
      })})`;
    const { page, context } = await browser.person('/about');
    await context.addCookies([await sessionCookie(app, { tenantId: 'operators', userId: person.userId })]);
    await page.goto('/app/settings/operator');
    const card = page.getByRole('region', { name: 'Deletion of workspaces' });
    const row = (text: string) => card.getByRole('row').filter({ hasText: text });
    await row('gone').getByText('Rows: 1,203 · Files: 42').waitFor();
    await row('gone').getByText('own storage: 5').waitFor();

    await card.getByLabel('Workspace ID').fill(tenantId);
    await card.getByRole('button', { name: 'Count data' }).click();
    await card.getByRole('heading', { name: 'Customer <b>&</b> Sons' }).waitFor();
    await card.getByText('Rows by table').first().click();
    await card.getByText('users', { exact: true }).first().waitFor();
    expect((await app.json('GET', '/api/translations', { headers: customer.key })).status).toBe(200);
    await card.getByRole('button', { name: 'Delete workspace' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this workspace?' });
    const submit = dialog.getByRole('button', { name: 'Delete workspace' });
    expect(await dialog.getByLabel('Waiting period in days').inputValue()).toBe('30');
    await dialog.getByLabel('Type the name').fill('Customer');
    await dialog.getByLabel('Code').fill('000000');
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByLabel('Type the name').fill('Customer <b>&</b> Sons');
    await submit.click();
    await dialog.getByText('Invalid MFA code.').waitFor();
    expect((await app.json('GET', '/api/translations', { headers: customer.key })).status).toBe(200);
    await dialog.getByLabel('Code').fill(totpCode(secret, 1));
    await submit.click();
    await dialog.waitFor({ state: 'detached' });
    await row(tenantId).getByText('Scheduled').waitFor();
    expect((await app.json('GET', '/api/translations', { headers: customer.key })).status).toBe(401);

    await row(tenantId).getByRole('button', { name: 'Cancel deletion' }).click();
    const question = page.getByRole('dialog', { name: 'Cancel deletion' });
    await question.getByRole('button', { name: 'Keep scheduled' }).waitFor();
    await question.getByRole('button', { name: 'Cancel deletion' }).click();
    await row(tenantId).waitFor({ state: 'detached' });
    expect((await app.json('GET', '/api/translations', { headers: customer.key })).status).toBe(200);
    const actors = await sql()`select action, actor_kind, actor_id from audit_log
      where tenant_id = ${tenantId} and action like 'tenant_deletion%' order by recorded_at`;
    expect([...actors]).toEqual(
      ['tenant_deletion_scheduled', 'tenant_deletion_canceled'].map((action) => ({
        action,
        actor_kind: 'member',
        actor_id: person.userId,
      })),
    );
  });
});

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
