import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Segment } from '#server/formats/document.ts';
import { type InlineContent, plainText } from '#server/formats/inline-content.ts';
import { type LanguageCode, languageName } from '#server/languages.ts';
import { NativeText, pseudoTranslate } from './target-texts.ts';
import { translateFile } from './translated-file.ts';

const folder = join(import.meta.dirname, '../../../docs/gallery');

interface GalleryPage {
  file: string;
  page: number;
  /**
   * The source is replaced by text in this language. With a number, it is replaced by a pseudo-translation of this many
   * times the length.
   */
  target: LanguageCode | number;
  shows: string;
}

const pages: readonly GalleryPage[] = [
  {
    file: 'two-column-paper.pdf',
    page: 1,
    target: 1.2,
    shows: 'two justified columns, headings, bold and italic words, authors with raised signs',
  },
  { file: 'three-column-signed.pdf', page: 1, target: 1.35, shows: 'three columns with headings and rules' },
  { file: 'large-55-pages.pdf', page: 2, target: 1.2, shows: 'a story around a picture with its caption' },
  { file: 'form-irs-1040.pdf', page: 1, target: 1.2, shows: 'a dense form: labels between rules, fields' },
  { file: 'table-with-links.pdf', page: 1, target: 1.2, shows: 'a table of prices with links, charts' },
  {
    file: 'chinese-report-tables.pdf',
    page: 3,
    target: 'fr',
    shows: 'Chinese tables that become French: the text is longer than its cells',
  },
  { file: 'mixed-scripts-type3.pdf', page: 3, target: 1.2, shows: 'colours, sizes, marks and raised text' },
  {
    file: 'two-column-labels-links.pdf',
    page: 1,
    target: 'ar',
    shows: 'text from right to left, set flush right, with a table of contents',
  },
  { file: 'rotated-90-table.pdf', page: 1, target: 'ja', shows: 'a turned page that holds a table' },
  { file: 'encrypted-owner-only.pdf', page: 1, target: 'hi', shows: 'a form in Devanagari' },
];

const resolution = 72;

/** Writes pictures of some pages before and after the translation, and the page that shows them. Needs pdftoppm. */
export async function writeGallery(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const sections: string[] = [];
  for (const { file, page, target, shows } of pages) {
    const { translate, language, name } = translation(target);
    const translated = await translateFile(file, translate, language);
    const stem = `${file.replace('.pdf', '')}-${page}`;
    writeFileSync(join(folder, `${stem}-before.jpg`), picture(translated.source, page));
    writeFileSync(join(folder, `${stem}-after.jpg`), picture(translated.bytes, page));
    sections.push(`## ${file}, page ${page}: ${name}

Shows ${shows}.

| before | after |
|---|---|
| ![before](${stem}-before.jpg) | ![after](${stem}-after.jpg) |`);
  }
  writeFileSync(join(folder, 'README.md'), `${[introduction, ...sections].join('\n\n')}\n`);
}

const introduction = `# Translated PDF pages

Pages of the corpus before and after translation, rendered by poppler. \`npm run fidelity -- --gallery\` writes them. No model translates: *French* and
*German lengths* are the same words with accents and repeated vowels, 1.2 and 1.35 times as long. Other languages are text of the Universal
Declaration of Human Rights. Plain English on a page was not translated: numbers, product names and other [kept texts](../fidelity.md).`;

function translation(target: GalleryPage['target']): {
  translate: (segment: Segment) => InlineContent;
  language: string;
  name: string;
} {
  if (typeof target === 'number') {
    const [language, name] = target > 1.25 ? ['de', 'German lengths'] : ['fr', 'French lengths'];
    return { translate: ({ source }) => pseudoTranslate(source, target), language: language!, name: name! };
  }
  const native = new NativeText(target);
  // A French text has about twice as many letters as the Chinese text has characters.
  const translate = ({ source }: Segment): InlineContent =>
    target === 'fr' ? [native.take(2 * plainText(source).length)] : native.translate(source);
  return { translate, language: target, name: languageName(target) };
}

function picture(pdf: Uint8Array, page: number): Uint8Array {
  const number = `${page}`;
  return execFileSync(
    'pdftoppm',
    [
      '-r',
      `${resolution}`,
      '-f',
      number,
      '-l',
      number,
      '-singlefile',
      '-jpeg',
      '-jpegopt',
      'quality=62',
      '-',
    ],
    { input: pdf, maxBuffer: 100_000_000, stdio: ['pipe', 'pipe', 'ignore'] },
  );
}
