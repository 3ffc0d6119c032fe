import { languageName } from '#server/languages.ts';
import type { Section } from '../report.ts';
import { type MeasuredScan, measureScan, scannings } from './measure.ts';
import { knownTexts } from './texts.ts';

const sumOf = (scans: readonly MeasuredScan[], key: 'characters' | 'errors' | 'seconds'): number =>
  scans.reduce((sum, scan) => sum + scan[key], 0);
const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)}%`;

/** Measures the scans of all known texts, and describes the results. */
export async function scanSection(): Promise<Section> {
  const measured: MeasuredScan[] = [];
  for (const language of Object.keys(knownTexts))
    for (const scanning of scannings) measured.push(await measureScan(language, scanning));
  const rateOf = (scans: readonly MeasuredScan[]): string =>
    `${((100 * sumOf(scans, 'errors')) / sumOf(scans, 'characters')).toFixed(2)}%`;
  const count = (key: 'wrongWords' | 'wrongUncertain' | 'rightWords' | 'rightUncertain'): number =>
    measured.reduce((sum, scan) => sum + scan[key], 0);
  const languages = Map.groupBy(measured, ({ language }) => language);
  const seconds = measured.map((scan) => scan.seconds);
  return {
    title: 'Scans',
    notes: `Known texts are printed, scanned in code (skew, blur, noise on cream paper) and recognized, and
the segments are compared with the text. *Errors* is the character error rate: insertions, deletions and replacements as a share of the
characters. White space counts as one space. *Noise* is the standard deviation of 255 shades. The texts are clean prints in one font, so old or damaged paper has more errors.`,
    tables: [
      {
        title: 'Errors by language',
        head: ['language', ...scannings.map(nameOf), 'all', 'CPU seconds a page'],
        rows: [...languages].map(([language, scans]) => [
          languageName(language),
          ...scans.map((scan) => rateOf([scan])),
          rateOf(scans),
          (sumOf(scans, 'seconds') / scans.length).toFixed(1),
        ]),
      },
      {
        title: 'Pages and words',
        head: ['what', 'figure'],
        rows: [
          ['pages', `${measured.length}`],
          ['errors on all pages', rateOf(measured)],
          ['CPU seconds a page', `${Math.min(...seconds).toFixed(1)} to ${Math.max(...seconds).toFixed(1)}`],
          [
            'segments, of paragraphs',
            `${measured.reduce((sum, { segments }) => sum + segments, 0)}, of ${measured.reduce((sum, { paragraphs }) => sum + paragraphs, 0)}`,
          ],
          [
            'wrong words below the default confidence',
            `${count('wrongUncertain')} of ${count('wrongWords')} (${percent(count('wrongUncertain'), count('wrongWords'))})`,
          ],
          [
            'right words below the default confidence',
            `${count('rightUncertain')} of ${count('rightWords')} (${percent(count('rightUncertain'), count('rightWords'))})`,
          ],
        ],
      },
    ],
  };
}

function nameOf({ dpi, skew, noise }: MeasuredScan | (typeof scannings)[number]): string {
  return `${dpi} dpi, ${skew}°, noise ${noise}`;
}
