/** Browsers by their token in User-Agent. Those that also send the token of another browser come first. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\b(?:Edg|EdgA|EdgiOS)\//, 'Edge'],
  [/\b(?:OPR|OPT)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*Safari\//, 'Safari'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const maxRead = 500;

/**
 * Names the program and the system of a User-Agent, such as `Firefox, Linux`, for a member who looks at the own sessions.
 * Returns the first token of other programs, such as `curl/8.5.0`, or null. Versions of browsers are left out.
 */
export function programOf(userAgent: string | undefined): string | null {
  const text = (userAgent ?? '').slice(0, maxRead);
  const nameIn = (names: typeof browsers) => names.find(([form]) => form.test(text))?.[1];
  const browser = nameIn(browsers);
  if (browser === undefined) return /^[A-Za-z0-9@._/+-]{1,60}/.exec(text)?.[0] ?? null;
  return [browser, nameIn(systems)].filter(Boolean).join(', ');
}
