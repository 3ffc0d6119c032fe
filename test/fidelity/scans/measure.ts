import { minConfidence } from '#server/documents/recognition.ts';
import { renderGoldenPdf } from '#server/formats/golden/pdf.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { obstacleTo } from '#server/formats/ocr/tesseract.ts';
import { extract, recognize } from '#server/formats/pdf.ts';
import { hasPoppler } from '../eye/poppler.ts';
import { comparable, editDistance } from './error-rate.ts';
import { type Scanning, scanOf } from './scan.ts';
import { knownTexts } from './texts.ts';

/** The scans of each text. */
export const scannings: readonly Scanning[] = [
  { dpi: 300, skew: 0, noise: 8 },
  { dpi: 300, skew: 1.3, noise: 30 },
  { dpi: 200, skew: -0.7, noise: 15 },
  { dpi: 200, skew: 2, noise: 30 },
  { dpi: 150, skew: -2, noise: 20 },
];

export interface MeasuredScan extends Scanning {
  language: string;
  characters: number;
  errors: number;
  /** Seconds of CPU time to recognize the page. */
  seconds: number;
  segments: number;
  paragraphs: number;
  /** Words that are not in the known text, and those of them that are uncertain. */
  wrongWords: number;
  wrongUncertain: number;
  /** Words that are in the known text, and those of them that are uncertain. */
  rightWords: number;
  rightUncertain: number;
}

/** Returns why scans cannot be measured; undefined if they can. */
export function missingForScans(): string | undefined {
  if (!hasPoppler) return 'poppler is not installed';
  return obstacleTo('en');
}

/** Recognizes a scan of a known text, and compares the segments with the text. */
export async function measureScan(language: string, scanning: Scanning): Promise<MeasuredScan> {
  const text = knownTexts[language]!;
  const pdf = await scanOf(await renderGoldenPdf({ text, language, title: 'Scan' }), scanning);
  const before = process.cpuUsage();
  const page = await recognize(pdf, 1, language);
  const { user, system } = process.cpuUsage(before);
  const recognition = { pages: [page], failed: [] };
  const { segments } = await extract(pdf, { sourceLanguage: language, targetLanguage: 'fr', recognition });
  const known = comparable(text.replaceAll('\n\n', ' '));
  const read = comparable(segments.map(({ source }) => plainText(source)).join(' '));
  const words = segments.flatMap(({ words }) => words ?? []);
  const isRight = ({ text }: { text: string }): boolean => known.includes(comparable(text));
  const isUncertain = ({ confidence }: { confidence: number }): boolean => confidence < minConfidence;
  const [right, wrong] = [words.filter(isRight), words.filter((word) => !isRight(word))];
  return {
    ...scanning,
    language,
    characters: [...known].length,
    errors: editDistance(known, read),
    seconds: (user + system) / 1e6,
    segments: segments.length,
    paragraphs: text.split('\n\n').length,
    wrongWords: wrong.length,
    wrongUncertain: wrong.filter(isUncertain).length,
    rightWords: right.length,
    rightUncertain: right.filter(isUncertain).length,
  };
}
