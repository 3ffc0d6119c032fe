import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { useBillingApp } from '#test/billing/billing-app.ts';
import { operatorEnv } from '#test/factories/operators.ts';
import { type Person as Account, found } from '#test/factories.ts';
import { tooWideOn, violationsOn } from './accessibility.ts';
import { type Answers, refusedRequest, responseOf, standBetween } from './answers.ts';
import { type PersonOptions, useBrowser, withoutBrowser } from './browser.ts';
import { type FullWorkspace, fillWorkspace } from './full-workspace.ts';
import { follow, openRequests, sessionCookie, settled, withSession } from './screens.ts';

const billing = useBillingApp({
  ...operatorEnv,
  BASE_URL: '',
  STORAGE_BINDING_ENABLED: 'true',
  MAIL_SERVER: '{"url":"smtp://127.0.0.1:9","from":"noreply@example.org"}',
});
const { app } = billing;
const browser = useBrowser(app);

let workspace: FullWorkspace;
let newcomer: Account;
beforeAll(async () => {
  if (withoutBrowser) return;
  workspace = await fillWorkspace(billing);
  newcomer = await found(app);
});

const ways: PersonOptions[] = [
  { locale: 'en', colorScheme: 'light' },
  { locale: 'ar', colorScheme: 'dark' },
];

/** Opens a browser in which a member is signed in. */
async function signedIn(options: PersonOptions, person: Account) {
  const { page, context } = await browser.person('/about', {
    viewport: { width: 800, height: 640 },
    ...options,
  });
  await context.addCookies([await sessionCookie(app, person)]);
  const answers = await standBetween(context);
  return { page, context, answers };
}

/**
 * Visits all screens in both ways.
 * @param browsers each visits a part of the screens, because visits consist mostly of waiting
 * @returns the errors that `look` returned
 */
async function everywhere(
  person: () => Account,
  prepare: (answers: Answers) => void,
  look: (visit: { page: Page; path: string; answers: Answers }) => Promise<string[]>,
  browsers = 1,
): Promise<string[]> {
  const visit = async (way: PersonOptions, paths: string[]) => {
    const { page, answers } = await signedIn(way, person());
    const found: string[] = [];
    for (const path of paths) {
      prepare(answers);
      const address = workspace.addressOf(path);
      if (path === paths[0]) await page.goto(address);
      else await follow(page, address);
      for (const fault of await look({ page, path, answers })) found.push(`${way.locale} ${path}: ${fault}`);
    }
    return found;
  };
  const shares = Array.from({ length: browsers }, (_, at) =>
    withSession.filter((_, index) => index % browsers === at),
  );
  const faults = await Promise.all(ways.flatMap((way) => shares.map((paths) => visit(way, paths))));
  return faults.flat();
}

const forAdministrators = [
  '/app/settings/members',
  '/app/settings/audit',
  '/app/reports',
  '/billing',
  '/app/settings/api-keys',
  '/app/settings/storage',
  '/app/settings/operator',
  '/app/settings/operator/queue',
  '/app/settings/operator/models',
  '/app/settings/operator/workspaces/$tenantId',
];

/** Screens that load only the member until the first action. */
const quiet = ['/app/translate', '/app/settings/security', '/app/concordance'];

const looks = async (page: Page) => [...(await violationsOn(page)), ...(await tooWideOn(page))];

/** Waits for a part of the page. @returns an error if the part does not appear */
const missing = async (page: Page, part: string): Promise<string[]> => {
  const isThere = page.locator(part).first().waitFor({ timeout: 15_000 });
  return isThere.then(
    () => [],
    () => [`there is no ${part}`],
  );
};

const problem = 'main [role=alert]';

describe.skipIf(withoutBrowser)('every screen, in English and light, in Arabic and dark', () => {
  test('shows loading, then the error with the request ID, and continues after a retry', async () => {
    const faults = await everywhere(
      () => workspace.operator,
      (answers) => answers.hold(['/api/auth/me']),
      async ({ page, path, answers }) => {
        if (quiet.includes(path)) return [];
        const found = [...(await missing(page, 'main [aria-busy=true] p')), ...(await looks(page))];
        answers.refuse({ code: 'internal_error', detail: 'internal error' }, ['/api/auth/me']);
        found.push(...(await missing(page, problem)), ...(await looks(page)));
        // The text is in the language of the interface. The service's message and the request ID are behind "Details".
        for (const words of await page.locator(problem).allInnerTexts())
          if (words.includes('internal error') || words.includes(refusedRequest)) found.push(words);
        // A slower request may still add an error, so details are opened until none is closed.
        await page.waitForFunction(
          (problems) => {
            const closed = `${problems} details:not([open]) > summary`;
            for (const summary of document.querySelectorAll<HTMLElement>(closed)) summary.click();
            return [...document.querySelectorAll(problems)].every(
              (one) => one.querySelector('details bdi') !== null,
            );
          },
          problem,
          { polling: 250 },
        );
        for (const words of await page.locator(problem).allInnerTexts())
          if (!words.includes('internal error') || !words.includes(refusedRequest)) found.push(words);
        answers.pass();
        await page.waitForFunction(
          (problems) => {
            for (const retry of document.querySelectorAll<HTMLElement>(`${problems} button`)) retry.click();
            return !document.querySelector(problems);
          },
          problem,
          { polling: 250 },
        );
        return found;
      },
      3,
    );
    expect(faults).toEqual([]);
  });

  test('shows the missing permission, and offers no useless action', async () => {
    const faults = await everywhere(
      () => workspace.operator,
      (answers) => answers.refuse({ code: 'forbidden', detail: 'not allowed' }, ['/api/auth/me']),
      async ({ page, path }) => {
        if (quiet.includes(path)) return [];
        const found = [...(await missing(page, problem)), ...(await looks(page))];
        if ((await page.locator(`${problem} button`).count()) > 0) found.push('a button to try again');
        return found;
      },
    );
    expect(faults).toEqual([]);
  });

  test('starts empty, and has no data of another workspace', async () => {
    const faults = await everywhere(
      () => newcomer,
      () => {},
      async ({ page }) => {
        await settled(page, openRequests(page));
        return looks(page);
      },
    );
    expect(faults).toEqual([]);
  });

  test('sends no requests that only administrators may send, and shows whom to ask', async () => {
    const refused: string[] = [];
    const faults = await everywhere(
      () => workspace.member,
      () => {},
      async ({ page, path }) => {
        page.removeAllListeners('response');
        page.on('response', (response) => {
          if (response.status() === 403) refused.push(`${path} asked ${response.url()}`);
        });
        await settled(page, openRequests(page));
        return [
          ...(forAdministrators.includes(path) ? await missing(page, 'main [role=note]') : []),
          ...(await looks(page)),
        ];
      },
    );
    expect([...faults, ...refused]).toEqual([]);
  });
});

describe.skipIf(withoutBrowser)('an error', () => {
  test("has the form of the service's errors", async () => {
    const headers = { ...workspace.operator.bearer, 'x-request-id': refusedRequest };
    const input = encodeURIComponent(JSON.stringify({ json: { job_id: 'none' } }));
    const { status, body } = await app.json('GET', `/trpc/translations.get?input=${input}`, { headers });
    const refusal = { code: 'not_found' as const, detail: body.error.json.message };
    const made = responseOf(refusal, '/trpc/translations.get');
    expect(made.status).toBe(status);
    expect(body.error.json).toMatchObject(JSON.parse(made.body).error.json);
    expect(Object.keys(body.error.json.data)).toEqual(Object.keys(JSON.parse(made.body).error.json.data));
    const path = '/api/translations/none';
    const documented = await app.json('GET', path, { headers });
    expect(JSON.parse(responseOf(refusal, path).body)).toEqual(documented.body);
  });

  test('for lack of a subscription links to the billing page', async () => {
    const { page, answers } = await signedIn({ locale: 'en' }, workspace.operator);
    await page.goto('/app/translate?from=en&to=["de"]');
    answers.refuse({ code: 'payment_required', detail: 'subscription required' });
    await page.getByLabel('Text to translate').fill('Hello');
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByRole('alert').getByText('This needs a plan.').waitFor();
    answers.pass();
    await page.getByRole('alert').getByRole('link', { name: 'Open billing' }).click();
    await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor();
  });

  test('for too many requests counts down, then can be retried', async () => {
    const { page, answers } = await signedIn({ locale: 'en' }, workspace.operator);
    answers.refuse({ code: 'too_many_requests', detail: 'too many requests', retryAfter: 4 }, [
      '/api/auth/me',
    ]);
    let calls = 0;
    page.on('request', (request) => {
      if (request.url().includes('/trpc/translations.search')) calls += 1;
    });
    await page.goto('/app/texts');
    const retry = page.getByRole('alert').getByRole('button', { name: /^Try again in \d seconds?$/ });
    await retry.waitFor();
    expect(await retry.isDisabled()).toBe(true);
    // The wait is shown immediately, so there was only one call.
    expect(calls).toBe(1);
    answers.pass();
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await page.getByText('A text that waits', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

test.skipIf(withoutBrowser)(
  'being offline is said, and what failed meanwhile is read when it is over',
  async () => {
    const { page, context } = await signedIn({ locale: 'en' }, workspace.operator);
    await page.goto('/app/texts');
    await page.getByText('A text that waits', { exact: true }).waitFor();
    const notice = page.locator('main > p').getByText("You're offline");
    await context.setOffline(true);
    await notice.waitFor();
    await page.getByLabel('Status').selectOption('failed');
    await page.getByRole('alert').getByText("You're offline").waitFor();
    expect(await looks(page)).toEqual([]);
    await context.setOffline(false);
    await notice.waitFor({ state: 'detached' });
    await page.getByText('A text that fails', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  },
);
