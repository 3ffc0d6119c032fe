import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { LanguageCode } from '#server/languages.ts';
import { FileError } from '../file-error.ts';

/** An image in shades of gray: one byte a pixel, rows from the top, 0 is black. */
interface GrayImage {
  width: number;
  height: number;
  data: Uint8Array;
}

/** A rectangle in pixels. The y axis points downwards. */
export interface PixelBox {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** A word of an image as Tesseract has read it. */
export interface ReadWord {
  text: string;
  /** From 0 to 100. */
  confidence: number;
  bbox: PixelBox;
}

export interface ReadLine {
  bbox: PixelBox;
  /** The ends of the baseline. */
  baseline: PixelBox;
  /** The height of the line, and its parts above and below lower-case letters, in pixels. */
  rowAttributes: { rowHeight: number; descenders: number; ascenders: number };
  words: ReadWord[];
}

export interface ReadParagraph {
  lines: ReadLine[];
}

interface TesseractCore {
  FS: { writeFile(path: string, bytes: Uint8Array): void };
  TessBaseAPI: new () => {
    Init(path: null, languages: string, engine: number): number;
    SetVariable(name: string, value: string): void;
    SetImageFile(orientation: number, angle: number): number;
    Recognize(monitor: null): number;
    GetJSONText(): string;
  };
}

/** The engine with neural networks (LSTM). */
const networks = 1;
/** Find columns and paragraphs, without a detection of the orientation. */
const automaticLayout = '3';
/**
 * Read the page as one block. Used for Korean: the search for columns loses lines of syllables with wide gaps. Columns are
 * found later, by the gaps between words.
 */
const oneBlock = '6';

/**
 * Reads the text of an image. Each call compiles a new WebAssembly module, so that an image cannot change how later ones
 * are read. Takes about 5 s of CPU time for a full page.
 *
 * @param dpi pixels per inch
 * @param language a language that can be recognized (`obstacleTo`)
 * @returns the paragraphs, in reading order
 * @throws {FileError} `unreadable` if Tesseract rejects the image
 */
export async function readImage(
  { width, height, data }: GrayImage,
  dpi: number,
  language: string,
): Promise<ReadParagraph[]> {
  const { name, file } = dataFile(language)!;
  const program = 'tesseract.js-core/tesseract-core-simd-lstm';
  const { default: load } = (await import(new URL(`${program}.js`, packages).href)) as {
    default: (options: object) => Promise<TesseractCore>;
  };
  const ignore = (): void => {};
  const wasmBinary = readFileSync(new URL(`${program}.wasm`, packages));
  const core = await load({ wasmBinary, print: ignore, printErr: ignore });
  core.FS.writeFile(`${name}.traineddata`, gunzipSync(readFileSync(file)));
  const api = new core.TessBaseAPI();
  if (api.Init(null, name, networks) !== 0) throw new Error(`Tesseract cannot read its data ${name}`);
  api.SetVariable('tessedit_pageseg_mode', name === 'kor' ? oneBlock : automaticLayout);
  // Lines of square characters with wide gaps would be read as columns.
  api.SetVariable('textord_tabfind_vertical_text', '0');
  api.SetVariable('user_defined_dpi', String(Math.round(dpi)));
  core.FS.writeFile('/input', Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data]));
  // Tesseract rejects images that are only a few pixels wide.
  if (api.SetImageFile(1, 0) !== 0 || api.Recognize(null) !== 0)
    throw new FileError('unreadable', 'Tesseract cannot read the image of the page');
  const { blocks } = JSON.parse(api.GetJSONText()) as { blocks: { paragraphs?: ReadParagraph[] }[] };
  return blocks.flatMap(({ paragraphs }) => paragraphs ?? []);
}

/**
 * The names of Tesseract's data by language. Languages without an entry cannot be recognized: the data for Russian are
 * not on npm, Marathi and Nepali words are split, and Thai, which has no spaces between words, was not tried.
 */
const dataNames: Partial<Record<LanguageCode, string>> = {
  en: 'eng',
  es: 'spa',
  fr: 'fra',
  'fr-CA': 'fra',
  de: 'deu',
  it: 'ita',
  'pt-BR': 'por',
  'pt-PT': 'por',
  nl: 'nld',
  'zh-Hans': 'chi_sim',
  'zh-Hant': 'chi_tra',
  ja: 'jpn',
  ko: 'kor',
  ar: 'ara',
  hi: 'hin',
  tr: 'tur',
  vi: 'vie',
  uk: 'ukr',
  el: 'ell',
  id: 'ind',
  pl: 'pol',
  cs: 'ces',
  ro: 'ron',
  hu: 'hun',
  sv: 'swe',
  da: 'dan',
  nb: 'nor',
  fi: 'fin',
  ms: 'msa',
  fa: 'fas',
  ur: 'urd',
};

/** The directory of the optional packages, which `npm run ocr` installs. */
const packages = new URL('./packages/node_modules/', import.meta.url);

/**
 * Returns the file with the data of a language, compressed by gzip. Undefined if the language has no data.
 *
 * @param directory the directory of the packages
 */
export function dataFile(language: string, directory = packages): { name: string; file: URL } | undefined {
  const name = dataNames[language as LanguageCode];
  if (name === undefined) return undefined;
  return {
    name,
    file: new URL(`@tesseract.js-data/${name}/4.0.0_best_int/${name}.traineddata.gz`, directory),
  };
}

/**
 * Returns why text in a language cannot be recognized, and what the operator can do about it. Undefined if it can be
 * recognized.
 *
 * @param directory the directory of the packages
 */
export function obstacleTo(language: string, directory = packages): string | undefined {
  const data = dataFile(language, directory);
  if (!data) return `text recognition (OCR) does not support the source language (${language})`;
  if (existsSync(data.file)) return undefined;
  return 'text recognition (OCR) is not installed; the operator of the service installs it with `npm run ocr`';
}

/** A rectangle on the straightened page, in points. */
type RecognizedBox = [left: number, bottom: number, right: number, top: number];

/** A color: red, green and blue from 0 to 255. */
export type Rgb = [red: number, green: number, blue: number];

/**
 * The text of a scanned page. Positions are in the space of the straightened page: in points, with the origin at its
 * lower left corner, and with horizontal lines of text.
 */
export interface RecognizedPage {
  /** The page number, from 1. */
  page: number;
  width: number;
  height: number;
  /** Maps the straightened page to the page's user space, as in PDF 32000-1, 8.3.3. */
  matrix: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
  lines: RecognizedLine[];
  /** The places with ink outside of the words: pictures, rules and signs. */
  marks: RecognizedBox[];
  /** The number of lines that may be text, but could not be read. They are not in `lines`. */
  unreadLines: number;
}

export interface RecognizedLine {
  /** The number of the paragraph on the page. Lines with the same number follow each other. */
  paragraph: number;
  baseline: number;
  /** The font size, in points. */
  size: number;
  bold: boolean;
  /** The color of the paper around the line, and of its letters. */
  ground: Rgb;
  ink: Rgb;
  words: RecognizedWord[];
}

export interface RecognizedWord {
  text: string;
  /** How sure the recognition is, from 0 to 100. */
  confidence: number;
  box: RecognizedBox;
}
