import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterEach, beforeAll, expect } from 'vitest';
import type { TestApp } from '#test/setup/app.ts';

/** The shell without windows needs 40% less CPU time for the same tests than the browser. */
export const executable = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((file) => existsSync(file));

/** The reason why browser tests are skipped on this machine; undefined if they can run. */
export const withoutBrowser = executable ? undefined : 'chromium is not installed';

if (withoutBrowser) console.log(`The journeys of the web application are skipped: ${withoutBrowser}.`);

/** The browser of all test files of this process, which ends with the process: its start takes seconds of a busy machine. */
let started: Promise<Browser> | undefined;

function startBrowser(executablePath: string): Promise<Browser> {
  started ??= chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  return started;
}

/** A person with their own browser: only the tabs of this browser share cookies and storage. */
export interface Person {
  context: BrowserContext;
  page: Page;
  /** Opens another tab. */
  tab(): Promise<Page>;
}

export interface PersonOptions {
  locale?: string;
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  /**
   * Another origin to which the application may redirect, such as a payment page. The browser shows an empty page for
   * it.
   */
  leavesTo?: string;
  /**
   * A member who is signed in already. Only the cookie of the session is in the browser, as after a restart. Without a
   * member, the application asks for a sign-in.
   */
  member?: { email: string; password: string };
  /** The unused refresh token of a session, instead of `member`: it costs no password hash. */
  refreshToken?: string;
  /** Changes the page before it loads the application. */
  prepare?: (page: Page) => Promise<unknown>;
}

/**
 * Opens a browser for the tests of a file. After each test, it checks that no page has written an error to its
 * console, violated the content security policy, or requested another origin.
 * @param others other origins that are allowed, such as that of an identity provider
 * @param mayEnd whether the service may end during a request
 * @param mayBlock whether the browser may block responses of other origins
 */
export function useBrowser(
  app: Pick<TestApp, 'address'>,
  {
    others = [],
    mayEnd = false,
    mayBlock = false,
  }: { others?: readonly string[]; mayEnd?: boolean; mayBlock?: boolean } = {},
) {
  let browser: Browser | undefined;
  let open: Person[] = [];
  let faults: string[] = [];

  beforeAll(async () => {
    if (executable) browser = await startBrowser(executable);
  });
  afterEach(async () => {
    await Promise.all(open.map(({ context }) => context.close()));
    const found = faults;
    [open, faults] = [[], []];
    expect(found).toEqual([]);
  });

  const watch = (page: Page, leavesTo: string | undefined) => {
    page.on('console', (message) => {
      const text = message.text();
      const expected =
        isRefusedRequest(text) || (mayEnd && isLostRequest(text)) || (mayBlock && isBlockedResponse(text));
      if (message.type() === 'error' && !expected) faults.push(text);
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (/^https?:$/.test(url.protocol) && ![app.address, leavesTo, ...others].includes(url.origin))
        faults.push(`a request to ${url.origin}`);
    });
  };

  return {
    /** Opens a URL of the application in a separate browser. */
    async person(
      path: string,
      { leavesTo, member, refreshToken, prepare, ...options }: PersonOptions = {},
    ): Promise<Person> {
      const context = await (browser as Browser).newContext({
        baseURL: app.address,
        // Without transitions, elements can be clicked at once.
        reducedMotion: 'reduce',
        ...options,
      });
      context.setDefaultTimeout(20_000);
      context.on('page', (page) => watch(page, leavesTo));
      if (leavesTo) await context.route(`${leavesTo}/**`, (route) => route.fulfill({ body: '' }));
      if (member) await signIn(context, member);
      if (refreshToken) await context.addCookies([refreshCookie(app, refreshToken)]);
      const page = await context.newPage();
      await prepare?.(page);
      await page.goto(path);
      const person = { context, page, tab: () => context.newPage() };
      open.push(person);
      return person;
    },
  };
}

/** The cookie of a session. */
export const refreshCookie = ({ address }: Pick<TestApp, 'address'>, value: string) => ({
  ...{ name: 'll_refresh', value, url: `${address}/signin` },
  ...{ httpOnly: true, sameSite: 'Strict' as const },
});

/** Signs in by the request that the form sends, which is much faster than the form. */
async function signIn(
  context: BrowserContext,
  { email: username, password }: NonNullable<PersonOptions['member']>,
): Promise<void> {
  const data = { grant_type: 'password', username, password };
  const response = await context.request.post('/signin/token', { data });
  expect(response.status()).toBe(200);
}

/**
 * Whether a line of the console is about a rejected request. Chromium writes such a line for each response with a
 * status of 400 or above, and for each request while it is offline. A test that expects one of these checks the page.
 */
function isRefusedRequest(text: string): boolean {
  return /^Failed to load resource: (the server responded with a status of|net::ERR_INTERNET_DISCONNECTED)/.test(
    text,
  );
}

function isBlockedResponse(text: string): boolean {
  return / has been blocked by CORS policy: |^Failed to load resource: net::ERR_FAILED$/.test(text);
}

function isLostRequest(text: string): boolean {
  return /^Failed to load resource: net::ERR_(CONNECTION|EMPTY_RESPONSE|NETWORK|INCOMPLETE|SOCKET)/.test(
    text,
  );
}
