import type { TestApp } from '#test/setup/app.ts';
import type { Person, PersonOptions, useBrowser } from './browser.ts';

const password = 'a long enough passphrase';

/** The creator of a new workspace, with its API key. */
export interface Founder extends Person {
  email: string;
  tenantId: string;
  apiKey: string;
}

/**
 * Creates a workspace, and opens a URL of the application in a separate browser in which its creator is signed in.
 * @param path the URL, or a function that fills the workspace first and returns the URL
 */
export async function signedIn(
  app: TestApp,
  browser: ReturnType<typeof useBrowser>,
  path: string | ((founder: { apiKey: string }) => Promise<string>),
  options?: PersonOptions,
): Promise<Founder> {
  const email = `person${Math.random().toString(36).slice(2)}@example.org`;
  const { status, body } = await app.json('POST', '/api/auth/signup/email', {
    body: { tenant_name: 'Workspace', email, password },
  });
  if (status !== 200) throw new Error(`the sign-up was answered ${status}`);
  const apiKey = body.tenant_api_key;
  const address = typeof path === 'string' ? path : await path({ apiKey });
  const person = await browser.person(address, { ...options, member: { email, password } });
  await person.page.locator('#main h1').waitFor();
  return { ...person, email, tenantId: body.account.id, apiKey };
}
