import { prefixedCookie } from '#server/http/cookies.ts';

/** The themes of the application. `system` follows the setting of the operating system. */
export const themes = ['system', 'light', 'dark'] as const;

export type Theme = (typeof themes)[number];

/**
 * The name of the cookie in which the application stores the selected theme. The cookie contains nothing else.
 * @param secure whether the public URL is https
 */
export function themeCookie(secure: boolean): string {
  return prefixedCookie('ll_theme', secure);
}

/** The theme of a cookie's value; `system` for a missing or unknown value. */
export function themeFor(chosen: string | null): Theme {
  return themes.find((one) => one === chosen) ?? 'system';
}
