import type { Locale } from './locale.ts';

/**
 * Measured figures, for the landing page. `test/web/landing.test.ts` compares them with the files that they come
 * from: test/fidelity/results.json, docs/quality-gate.md, docs/performance.md and sdk/README.md.
 */
export const measured = {
  /** Word files, Excel files, and the texts in each group. All texts were translated. */
  wordFiles: 16,
  excelFiles: 17,
  wordTexts: 1230,
  excelTexts: 37_291,
  /** The share of artificial losses that the integrity checks found. */
  losses: 119_298,
  caught: 0.9959,
  testedLanguages: 33,
  /** Wrong alarms of the integrity checks in real translations. */
  realTranslations: 1270,
  falseAlarms: 4,
  /** Segments of a translation memory, and the time to find a match among them, in milliseconds. */
  segments: 50_000,
  exactMs: 0.24,
  fuzzyMs: [5.3, 7.4],
  /** The compressed size of the SDK, in kB. */
  sdkKb: 19.2,
} as const;

/** The figures as the landing page shows them in a language, by the names that its texts use. */
export function figures(locale: Locale): Record<string, string> {
  const number = (value: number) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(value);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const [from, to] = measured.fuzzyMs;
  return {
    texts: number(measured.wordTexts + measured.excelTexts),
    files: number(measured.wordFiles + measured.excelFiles),
    caught: percent.format(measured.caught),
    losses: number(measured.losses),
    tested: number(measured.testedLanguages),
    alarms: number(measured.falseAlarms),
    pairs: number(measured.realTranslations),
    segments: number(measured.segments),
    exact: number(measured.exactMs),
    // Isolated, so that a text from right to left keeps the order of the two.
    fuzzy: `\u2066${number(from)}–${number(to)}\u2069`,
    sdk: number(measured.sdkKb),
  };
}
