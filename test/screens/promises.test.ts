import { describe, expect, test } from 'vitest';
import { layoutKindNames } from '#server/formats/layout-kinds.ts';
import { type BillingApp, subscriptionEvent, useBillingApp } from '#test/billing/billing-app.ts';
import { viaRpc } from '#test/contract/call.ts';
import { useTestApp } from '#test/setup/app.ts';

const mail = { MAIL_SERVER: '{"url":"smtp://127.0.0.1:9","from":"noreply@example.org"}' };
const free = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', STORAGE_BINDING_ENABLED: 'true' } });
const mailing = useTestApp({
  env: { ...mail, BASE_URL: 'https://lingua.example.org', EMAIL_SIGNUP_ENABLED: 'false' },
});
const trial = useBillingApp({ TRIAL_CHARS: '1000', TRIAL_DAYS: '9', BASE_URL: '' });
const untried = useBillingApp({ TRIAL_CHARS: '0' });
const ended = useBillingApp({ TRIAL_DAYS: '0' });
const refusing = useBillingApp({ TRIAL_GRANTS_PER_ADDRESS: '0' });

type At = { request: typeof free.request };
const textOf = (html: string) =>
  html.replace(/<[^>]*>/g, '').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
async function page(at: At, path = '/') {
  const response = await at.request(path, { headers: { accept: 'text/html', 'accept-language': 'en' } });
  expect(response.status).toBe(200);
  return textOf(await response.text());
}

describe('the landing page promises what a visitor gets', () => {
  test('without billing: a file, and no word of plans', async () => {
    const text = await page(free);
    expect(text).toContain('Start with one file.');
    expect(text).not.toMatch(/\bplan\b|\bfree\b/);
  });

  test('with a trial: texts, and that files and the API need a plan', async () => {
    const text = await page(trial.app);
    expect(text).toContain(
      'Start with a text: the first 1,000 characters are free, for 9 days. Files and the API need a plan.',
    );
    expect(text).toContain('On this service, the API needs a plan.');
    expect(text).not.toContain('Start with one file');
  });

  test.each([
    ['no characters', untried],
    ['no days', ended],
    ['no grants', refusing],
  ])('with a trial of %s: only plans', async (_, { app }) => {
    const text = await page(app);
    expect(text).toContain('Texts, files and the API need a plan.');
    expect(text).not.toMatch(/\bfree\b|Start with/);
  });

  test('the number of formats is that of the code', async () => {
    expect(await page(free)).toContain(`Files in ${layoutKindNames.length} formats keep their form`);
  });
});

test('our pages say only what is true of the settings, and show no marks', async () => {
  const [plain, mails, paid] = await Promise.all(
    [free, mailing, trial.app].map(
      async (at) => (await page(at, '/privacy')) + (await page(at, '/resources/first-steps')),
    ),
  );
  expect(plain).toContain('its own storage account');
  expect(plain).toContain('You send it yourself.');
  expect(plain).toContain('or create a workspace');
  expect(plain).toContain('No model is connected');
  expect(plain).not.toMatch(/sends emails|payment|need a plan/);
  expect(mails).toContain('The service sends emails to members');
  expect(mails).not.toMatch(/You send it yourself|own storage account|or create a workspace/);
  expect(paid).toMatch(/pages of a payment processor[\s\S]*Files need a plan/);
  for (const text of [plain, mails, paid]) expect(text).not.toMatch(/\{|\}|\w\? [A-Z].*\}/);
});

/** The coverage of the workspace, and the summary of its usage. */
async function standing(
  { app }: Pick<BillingApp, 'app'>,
  { tenantId, accessToken }: { tenantId: string; accessToken: string },
) {
  const headers = { authorization: `Bearer ${accessToken}` };
  const [{ body: coverage }, { body: summary }] = await Promise.all([
    viaRpc(app, { path: 'billing.coverage', type: 'query' }, { headers }),
    app.json('GET', `/api/tenants/${tenantId}/billing`, { headers }),
  ]);
  return [coverage.covers, summary.allowance.remaining, summary.trial?.granted ?? null];
}

describe('the characters left, and what they cover', () => {
  test('follow the trial, the plan, a late payment and its end', async () => {
    const one = await trial.app.signUp();
    expect(await standing(trial, one)).toEqual(['texts', 1000, 1000]);
    const id = `sub_${one.tenantId}`;
    await trial.deliver(subscriptionEvent('created', one.tenantId, { id }));
    expect(await standing(trial, one)).toEqual(['all', 1_500_000, null]);
    await trial.deliver(subscriptionEvent('updated', one.tenantId, { id, status: 'past_due' }, 1));
    expect(await standing(trial, one)).toEqual(['none', 0, null]);
  });

  test('are absent without a trial or plan, and the allowance without billing', async () => {
    expect(await standing(untried, await untried.app.signUp())).toEqual(['none', 0, null]);
    expect(await standing({ app: free }, await free.signUp())).toEqual(['all', 500_000, null]);
  });
});
