import type { Settings } from '#server/settings.ts';

/** The cookie of A 5.1 for an access token; it travels over HTTPS alone where BASE_URL is such an address. */
export function sessionCookie(
  { accessToken, accessTtl }: { accessToken: string; accessTtl: number },
  settings: Settings,
): string {
  return `ll_session=${accessToken}; ${attributes(accessTtl, settings)}`;
}

/** Takes the session cookie away. */
export function clearedSessionCookie(settings: Settings): string {
  return `ll_session=; ${attributes(0, settings)}`;
}

function attributes(maxAge: number, { BASE_URL }: Settings): string {
  const secure = BASE_URL?.startsWith('https:') ? '; Secure' : '';
  return `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}
