import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { FileError } from '../file-error.ts';
import { dataFile, packages } from './languages.ts';

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
